"""Runs: every stored run, newest first."""

from reward_lab.ui import run_list
from reward_lab.ui.frame import open_laboratory, page_frame

with page_frame():
    run_list.draw(open_laboratory())
