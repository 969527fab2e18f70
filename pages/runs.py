"""Runs: every stored run, newest first; one run of many groups, or a sweep of runs, in full."""

from reward_lab.ui import run_list, run_page, sweep_progress
from reward_lab.ui.frame import open_laboratory, page_frame

with page_frame():
    lab = open_laboratory()
    run_id, sweep_id = run_page.asked(), sweep_progress.asked()
    if run_id is not None:
        run_page.draw(lab, run_id)
    elif sweep_id is not None:
        sweep_progress.draw(lab, sweep_id)
    else:
        run_list.draw(lab)
