"""Compare: a baseline and other runs; what was asked otherwise, and what moved."""

from reward_lab.ui import compare
from reward_lab.ui.frame import open_laboratory, page_frame

with page_frame():
    compare.draw(open_laboratory())
