"""Groups: datasets on the left; on the right one dataset, browsed, edited, imported into, split and scored."""

import streamlit as st

from reward_lab.ui import groups_library, groups_panes
from reward_lab.ui.frame import open_laboratory, page_frame
from reward_lab.ui.groups_view import open_view

with page_frame():
    lab = open_laboratory()
    summaries = lab.datasets.summaries()
    view = open_view(lab, summaries)
    groups_panes.draw_headline(view, summaries)
    left, right = st.columns([2, 7], gap="medium")
    with left:
        groups_library.draw(view, summaries)
    with right:
        groups_panes.draw(view)
