"""Rubrics: the library on the left; on the right one rubric, written, generated, checked and compared."""

import streamlit as st

from reward_lab.ui import rubric_editor, rubric_library, rubric_panes
from reward_lab.ui.frame import page_frame
from reward_lab.ui.studio import open_studio

with page_frame():
    studio = open_studio()
    history = rubric_panes.history_of(studio)
    rubric_editor.draw_headline(studio, history)
    left, right = st.columns([2, 7], gap="medium")
    with left:
        rubric_library.draw(studio)
    with right:
        rubric_panes.draw(studio, history)
