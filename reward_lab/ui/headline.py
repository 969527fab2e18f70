"""The first row of the Score page: its name, what to load, and the one primary action."""

from __future__ import annotations

from concurrent.futures import TimeoutError as StillRunning
from contextlib import suppress

import streamlit as st

from reward_lab.core.run import NewRun, RunState
from reward_lab.errors import RewardLabError
from reward_lab.services.drafts import Draft
from reward_lab.services.examples import examples
from reward_lab.services.planning import Estimate
from reward_lab.ui.desk import Desk, Notice, asked_as, example_draft
from reward_lab.ui.frame import show_error, show_notice, warm_up

_AT_ONCE_S = 0.8
"""A run that is over within this time (offline, or cached) is shown done at once, without a blink of "running"."""

_JUMP = '<a class="jump" href="#results">See results</a>'
"""Shown where the panes stack, and the results stand below the inputs."""


def draw(desk: Desk) -> None:
    """Draw the row, and under it what went wrong with the last action, if anything did."""
    with (
        st.container(key="headline"),
        st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"),
    ):
        st.markdown("### Score", width="content")
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right"):
            _load_menu(desk)
            _action(desk)
            if desk.run_id is not None:
                st.html(_JUMP, width="content")
    for notice in desk.notices:
        with show_notice(notice.text):
            if notice.to_runs:
                st.page_link("pages/runs.py", label="All runs", icon=":material/history:")
            if notice.to_draft:
                st.button("Go back to it", key="draft-back", icon=":material/undo:", on_click=desk.go_back)
    desk.notices.clear()


def _load_menu(desk: Desk) -> None:
    with st.popover("Load an example", icon=":material/folder_open:", width="content", key=desk.key("examples")):
        st.caption("It takes the place of what stands here; the judge and the methods stay.")
        if desk.before is not None and st.button(
            "Back to the draft before", key="example-back", width="stretch", icon=":material/undo:"
        ):
            desk.go_back()
            st.rerun()
        for index, example in enumerate(examples()):
            if st.button(example.name, help=example.summary, key=f"example-{index}", width="stretch", type="tertiary"):
                _replace(desk, asked_as(example_draft(example), desk.draft))
            for prompt in list(example.prompts)[1:]:
                told = f"The same under its {prompt} system prompt"
                if st.button(told, key=f"example-{index}-{prompt}", width="stretch", type="tertiary"):
                    _replace(desk, asked_as(example_draft(example, prompt), desk.draft))
        if st.button("Start empty", key="example-none", width="stretch", type="tertiary", icon=":material/draft:"):
            _replace(desk, asked_as(Draft(), desk.draft))


def _replace(desk: Desk, draft: Draft) -> None:
    """Begin another draft, and say how to get back to one that was written."""
    written = desk.version > 0
    desk.replace(draft)
    if written:
        desk.notices.append(Notice("Your draft is kept.", to_draft=True))
    st.rerun()


def _action(desk: Desk) -> None:
    status = None if desk.run_id is None else desk.lab.scoring.status(desk.run_id)
    desk.running = status is not None and status.state is RunState.RUNNING
    if desk.run_id is not None and status is not None and desk.running:
        if status.cancelling:
            st.button("Cancelling ...", key="cancelling", icon=":material/stop_circle:", disabled=True)
        else:
            # A callback is run before the page is: the first thing drawn after the click says that it was taken.
            st.button(
                "Cancel",
                key="cancel",
                icon=":material/stop_circle:",
                help="What is done stays, and can be resumed.",
                on_click=_cancel,
                args=(desk, desk.run_id),
            )
        return
    try:
        new = new_run(desk)
        estimate = desk.lab.scoring.estimate(new.groups, new.rubric, new.judges, new.settings)
    except RewardLabError as error:
        st.button("Score", key="score", type="primary", icon=":material/balance:", disabled=True)
        with st.popover("Why not?", icon=":material/error:", width="content"):
            show_error(error)
        return
    warm_up(desk.lab, new.judges)
    st.button(
        f"Score {described(estimate)}", key="score", type="primary", icon=":material/balance:", on_click=desk.press
    )


def score(desk: Desk) -> None:
    """Begin the run that was asked for, once the inputs are drawn: what was typed last comes with the very click."""
    if not desk.pressed:
        return
    desk.pressed = False
    run_id, future = desk.lab.scoring.start(new_run(desk))
    desk.save()
    desk.show_run(run_id)
    with suppress(StillRunning):
        future.result(timeout=_AT_ONCE_S)
    st.rerun()


def _cancel(desk: Desk, run_id: int) -> None:
    try:
        desk.lab.scoring.cancel(run_id)
    except RewardLabError as error:
        desk.notices.append(Notice(str(error)))


def new_run(desk: Desk) -> NewRun:
    """The run that the draft asks for. Raises :class:`InvalidInput` naming the field that is wrong."""
    draft = desk.draft
    return NewRun(
        groups=(draft.group(),),
        rubric=draft.rubric(),
        judges=draft.ensemble(),
        settings=draft.settings(),
        name=draft.name,
        rubric_name=draft.rubric_name,
        draft_id=desk.draft_id,
    )


def described(estimate: Estimate) -> str:
    r"""What a run will take, in a few words.

    >>> described(Estimate(21, 8000, 1200, 0.021, responses=4, methods=6))
    '4 responses x 6 methods (21 calls, ~9k tokens, \\$0.02)'
    """
    responses = f"{estimate.responses} response{'s' if estimate.responses != 1 else ''}"
    methods = f"{estimate.methods} method{'s' if estimate.methods != 1 else ''}"
    parts = [f"{estimate.calls} call{'s' if estimate.calls != 1 else ''}"]
    if estimate.tokens:
        parts.append(f"~{short(estimate.tokens)} tokens")
    parts.append(cost(estimate.cost_usd))
    return f"{responses} x {methods} ({', '.join(parts)})"


def short(count: int) -> str:
    """A count in at most four characters.

    >>> short(950), short(8_600), short(2_400_000)
    ('950', '9k', '2.4M')
    """
    if count < 1000:
        return str(count)
    return f"{count / 1000:.0f}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"


def cost(usd: float | None) -> str:
    r"""A cost in USD; unknown is said to be unknown. The dollar is escaped: Streamlit reads labels as Markdown.

    >>> cost(None), cost(0.0), cost(0.0004)
    ('cost unknown', 'free', 'under \\$0.01')
    """
    if usd is None:
        return "cost unknown"
    if usd == 0:
        return "free"
    return f"\\${usd:.2f}" if usd >= 0.01 else "under \\$0.01"
