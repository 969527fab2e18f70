"""Calibrate: people label groups, blind to the judges; judges are held against what people said."""

from reward_lab.ui import calibrate
from reward_lab.ui.frame import open_laboratory, page_frame

with page_frame():
    calibrate.draw(open_laboratory())
