"""Reward Lab's app: page config, navigation, run."""

import streamlit as st

st.set_page_config(page_title="Reward Lab", page_icon="⚖️", layout="wide")
st.set_option("client.showSidebarNavigation", True)  # off before: see .streamlit/config.toml
st.navigation(
    [
        st.Page("pages/score.py", title="Score", icon=":material/balance:", default=True),
        st.Page("pages/runs.py", title="Runs", icon=":material/history:"),
        st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:"),
        st.Page("pages/rubrics.py", title="Rubrics", icon=":material/checklist:"),
        st.Page("pages/groups.py", title="Groups", icon=":material/dataset:"),
        st.Page("pages/calibrate.py", title="Calibrate", icon=":material/straighten:"),
    ]
).run()
