"""Judge: who is asked, how, and by which methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import streamlit as st

from reward_lab.core.judge import OFFLINE
from reward_lab.core.methods import METHODS
from reward_lab.errors import InvalidInput
from reward_lab.services.drafts import JudgeDraft
from reward_lab.services.offers import Offer
from reward_lab.ui.choices import choose_methods, choose_repeats, choose_seed
from reward_lab.ui.desk import Desk
from reward_lab.ui.fields import show_fault
from reward_lab.wiring import Lab


class Judged(Protocol):
    """A draft with judges."""

    @property
    def judges(self) -> Sequence[JudgeDraft]:
        """The judges as typed."""
        ...


class ChoosingJudges(Protocol):
    """A tab's work on something that judges are chosen for: the Score page's desk, or a sweep."""

    lab: Lab
    generation: int

    @property
    def draft(self) -> Judged:
        """The draft of record."""
        ...

    def key(self, name: str) -> str:
        """The key of a widget that shows a field of the present draft."""
        ...

    def change(self, **fields: object) -> None:
        """Change fields of the draft, and save it."""
        ...


def draw(desk: Desk) -> None:
    """Methods, the judge or several, and how often it is asked."""
    chosen = choose_methods(desk.draft.methods, key=desk.key("methods"))
    if chosen != [name for name in METHODS if name in desk.draft.methods]:
        desk.change(methods=chosen)
        st.rerun()
    several = len(desk.draft.judges) > 1
    for index in range(len(desk.draft.judges)):
        draw_judge(desk, index, f"Judge {index + 1}" if several else "Judge", several=several)
    if st.button("Add a judge", icon=":material/group_add:", help="The scores of several judges are averaged."):
        desk.change(judges=[*desk.draft.judges, JudgeDraft(model="")])
        st.rerun()
    _settings(desk)
    for check in (desk.draft.ensemble, desk.draft.settings):
        try:
            check()
        except InvalidInput as error:
            show_fault(error)


def draw_judge(desk: ChoosingJudges, index: int, called: str, *, several: bool) -> None:
    """One judge: which model, where, with what parameters; one of ``several`` can be removed."""
    judge = desk.draft.judges[index]
    with st.container(border=several):
        offers = {offer.label: offer for offer in _offers(desk)}
        shown = next((label for label, offer in offers.items() if _same(offer, judge)), judge.model)
        options = list(offers) if shown in offers or not shown else [shown, *offers]
        label = st.selectbox(
            f"{called}: choose, or type a model",
            options,
            index=options.index(shown) if shown else None,
            placeholder="such as openai/gpt-4.1",
            accept_new_options=True,
            key=desk.key(f"judge-{index}"),
            help="'offline' needs no key. Choose what was found, or type a LiteLLM model name, such as openai/gpt-4.1.",
        )
        if label is not None and label != shown:
            offer = offers.get(label)
            model, endpoint = (offer.model, offer.api_base or "") if offer else (label, judge.api_base)
            _change(desk, index, judge.model_copy(update={"model": model, "api_base": endpoint}))
        if judge.model == OFFLINE:
            st.caption(
                "The built-in judge compares words with the context, the reference and the criteria. It is no LLM: "
                "use it to learn the app and to check inputs, not to train."
            )
        elif judge.model:
            _endpoint_and_parameters(desk, index, judge)
        if several and st.button("Remove this judge", key=desk.key(f"remove-judge-{index}"), type="tertiary"):
            rest = [one for place, one in enumerate(desk.draft.judges) if place != index]
            desk.generation += 1
            desk.change(judges=rest)
            st.rerun()


def _endpoint_and_parameters(desk: ChoosingJudges, index: int, judge: JudgeDraft) -> None:
    endpoint = st.text_input(
        "Endpoint (optional)",
        judge.api_base,
        key=desk.key(f"endpoint-{index}-{judge.model}"),
        placeholder="the provider's own",
        help="An endpoint typed here never receives a key of the server's, unless it stands in the server's settings.",
    )
    parameters = st.text_area(
        "Parameters, a JSON object (optional)",
        judge.parameters,
        key=desk.key(f"parameters-{index}-{judge.model}"),
        placeholder='{"temperature": 0, "max_tokens": 4000}',
        height=80,
    )
    if (endpoint, parameters) != (judge.api_base, judge.parameters):
        _change(desk, index, judge.model_copy(update={"api_base": endpoint, "parameters": parameters}))


def _change(desk: ChoosingJudges, index: int, judge: JudgeDraft) -> None:
    desk.change(judges=[judge if place == index else one for place, one in enumerate(desk.draft.judges)])
    st.rerun()


def _offers(desk: ChoosingJudges) -> list[Offer]:
    with st.spinner("Looking for keys and local servers ...", show_time=False):
        return desk.lab.offers.found()


def _same(offer: Offer, judge: JudgeDraft) -> bool:
    return (offer.model, offer.api_base or "") == (judge.model, judge.api_base)


def _settings(desk: Desk) -> None:
    draft = desk.draft
    left, right = st.columns(2)
    repeats = choose_repeats(left, draft.repeats, key=desk.key("repeats"))
    budget = right.number_input(
        "Budget in USD (optional)",
        min_value=0.01,
        value=draft.budget_usd,
        placeholder="none",
        key=desk.key("budget"),
        help="The run stops before a call once so much is spent. Calls of unknown cost cannot be counted.",
    )
    seed = choose_seed(left, draft.seed, key=desk.key("seed"))
    ask_again = right.checkbox(
        "Ask again",
        draft.ask_again,
        key=desk.key("ask-again"),
        help="Leave stored replies aside and ask the judge anew.",
    )
    changed = {"repeats": repeats, "budget_usd": budget, "seed": seed, "ask_again": ask_again}
    if changed != {name: getattr(draft, name) for name in changed}:
        desk.change(**changed)
        st.rerun()
