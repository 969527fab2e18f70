"""Score: write a scenario, responses and a rubric on the left; read every method's scores on the right."""

import streamlit as st

from reward_lab.ui import headline, inputs, results
from reward_lab.ui.desk import open_desk
from reward_lab.ui.frame import page_frame

with page_frame():
    desk = open_desk()
    headline.draw(desk)
    left, right = st.columns([5, 8], gap="medium")
    with left:
        inputs.draw(desk)
    headline.score(desk)
    with right:
        results.draw(desk)
