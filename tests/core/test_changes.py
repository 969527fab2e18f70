from __future__ import annotations

from dataclasses import replace

from reward_lab.core.changes import Change, Setup, changed_parts, changed_settings
from reward_lab.core.group import Scenario
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Category, Contains, Criterion, Rubric, Scoring
from reward_lab.core.run import RunSettings

CITES = Criterion(title="Cites policy", description="Quotes the 30-day rule.", category=Category.ESSENTIAL)
INVENTS = Criterion(title="Invents", description="Invents a fact.", category=Category.PITFALL, meets_when=False)
SHORT = Criterion(description="Is short.")

BASE = Setup(
    scenario=Scenario(system_prompt="Use the context.", messages=({"role": "user", "content": "Refunds?"},)),
    rubric=Rubric(guidance="Be faithful.", criteria=(CITES, INVENTS)),
    judges=(Judge(model="openai/gpt-4.1", parameters={"temperature": 0}),),
    settings=RunSettings(methods=("ruler", "likert")),
    method_versions={"ruler": "1", "likert": "1"},
)


def changed(new: Setup, old: Setup = BASE) -> list[tuple[str, str | None, str | None]]:
    return [(one.name, one.old, one.new) for one in changed_settings(old, new)]


def with_criteria(*criteria: Criterion) -> Setup:
    return replace(BASE, rubric=BASE.rubric.model_copy(update={"criteria": criteria}))


def with_judges(*judges: Judge) -> Setup:
    return replace(BASE, judges=judges)


def test_equal_setups_have_no_change() -> None:
    assert changed(replace(BASE)) == []


def test_the_system_prompt_word_by_word() -> None:
    scenario = BASE.scenario.model_copy(update={"system_prompt": "Use ONLY the context."})
    [change] = changed_settings(BASE, replace(BASE, scenario=scenario))
    assert (change.name, change.prose) == ("System prompt", True)
    assert [(piece.kind, piece.text) for piece in change.pieces] == [
        ("same", "Use "),
        ("added", "ONLY "),
        ("same", "the context."),
    ]


def test_the_rest_of_the_scenario() -> None:
    tool = {"type": "function", "function": {"name": "lookup"}}
    scenario = Scenario(
        system_prompt="Use the context.",
        messages=({"role": "user", "content": "Returns?"},),
        reference_answer="30 days.",
        tools=(tool,),
    )
    assert changed(replace(BASE, scenario=scenario)) == [
        ("Conversation", "user: Refunds?", "user: Returns?"),
        ("Reference answer", None, "30 days."),
        ("Tools", None, '[{"function":{"name":"lookup"},"type":"function"}]'),
    ]


def test_what_the_text_of_a_conversation_does_not_show_still_counts() -> None:
    def asked(url: str) -> Setup:
        part = {"type": "image_url", "image_url": {"url": url}}
        return replace(BASE, scenario=Scenario(messages=({"role": "user", "content": [part]},)))

    assert [name for name, _, _ in changed(asked("https://b.test"), asked("https://a.test"))] == ["Conversation"]


def test_guidance_and_scoring() -> None:
    rubric = BASE.rubric.model_copy(update={"guidance": "", "scoring": Scoring(likert_max=5, judge_weight=0.5)})
    assert changed(replace(BASE, rubric=rubric)) == [
        ("Guidance", "Be faithful.", None),
        ("Scoring: likert_max", "10", "5"),
        ("Scoring: judge_weight", "1.0", "0.5"),
    ]


def test_a_criterion_that_is_edited_added_and_removed() -> None:
    edited = CITES.model_copy(update={"description": "Quotes the rule."})
    assert changed(with_criteria(edited, INVENTS)) == [
        (
            "Criterion 1: Cites policy",
            "Cites policy: Quotes the 30-day rule. (Essential, met when true)",
            "Cites policy: Quotes the rule. (Essential, met when true)",
        )
    ]
    assert changed(with_criteria(CITES, INVENTS, SHORT)) == [
        ("Criterion 3", None, "Is short. (Important, met when true)")
    ]
    assert changed(with_criteria(INVENTS)) == [
        ("Criterion 1: Cites policy", "Cites policy: Quotes the 30-day rule. (Essential, met when true)", None)
    ]


def test_a_criterion_that_lost_its_title_is_known_by_its_description() -> None:
    untitled = CITES.model_copy(update={"title": "", "weight": 2.0})
    [(name, old, new)] = changed(with_criteria(untitled, INVENTS))
    assert (name, new) == ("Criterion 1", "Quotes the 30-day rule. (Essential, weight 2, met when true)")
    assert old is not None
    assert old.startswith("Cites policy: ")


def test_a_criterion_rewritten_in_its_place_is_one_change() -> None:
    [(name, old, new)] = changed(with_criteria(CITES, SHORT))
    assert name == "Criterion 2"
    assert (old, new) == (
        "Invents: Invents a fact. (Pitfall, met when false)",
        "Is short. (Important, met when true)",
    )


def test_criteria_in_another_order_are_the_same_criteria() -> None:
    assert changed(with_criteria(INVENTS, CITES)) == [
        ("Order of the criteria", "Cites policy, Invents", "Invents, Cites policy")
    ]


def test_verifiers() -> None:
    rubric = BASE.rubric.model_copy(update={"verifiers": (Contains(value="30"),)})
    [(name, old, new)] = changed(replace(BASE, rubric=rubric))
    assert (name, old) == ("Verifiers", None)
    assert new is not None
    assert '"kind":"contains"' in new


def test_the_judge_its_endpoint_and_parameters() -> None:
    judge = Judge(model="ollama_chat/qwen3", api_base="http://127.0.0.1:11434", parameters={"num_ctx": 8192})
    assert changed(with_judges(judge)) == [
        ("Judge: model", "openai/gpt-4.1", "ollama_chat/qwen3"),
        ("Judge: temperature", "0", None),
        ("Judge: endpoint", None, "http://127.0.0.1:11434"),
        ("Judge: num_ctx", None, "8192"),
    ]


def test_judges_of_an_ensemble_are_numbered() -> None:
    assert changed(with_judges(*BASE.judges, Judge())) == [("Judge 2: model", None, "offline")]


def test_the_run_and_the_prompt_versions() -> None:
    new = replace(
        BASE,
        settings=RunSettings(methods=("ruler",), repeats=3, seed=1, budget_usd=1.0),
        method_versions={"ruler": "2"},
    )
    assert changed(new) == [
        ("Run: methods", "ruler, likert", "ruler"),
        ("Run: repeats", "1", "3"),
        ("Run: seed", "0", "1"),
        ("Version of ruler", "1", "2"),
    ]


def test_a_change_from_nothing_is_all_added() -> None:
    assert [piece.kind for piece in Change("Guidance", None, "Be faithful.").pieces] == ["added"]


def test_the_inputs_that_differ_by_the_names_that_people_use() -> None:
    assert changed_parts(BASE, replace(BASE)) == ()
    assert changed_parts(BASE, with_criteria(CITES)) == ("the rubric",)
    assert changed_parts(BASE, replace(BASE, scenario=Scenario(), judges=(Judge(),))) == ("the scenario", "the judge")
    more = BASE.settings.model_copy(update={"repeats": 3})
    assert changed_parts(BASE, replace(BASE, settings=more)) == ("how it is asked",)


def test_a_budget_or_another_version_of_a_prompt_is_no_change_of_inputs() -> None:
    settings = BASE.settings.model_copy(update={"budget_usd": 1.0, "ask_again": True})
    assert changed_parts(BASE, replace(BASE, settings=settings, method_versions={"ruler": "2"})) == ()
    tagged = BASE.scenario.model_copy(update={"metadata": {"topic": "refunds"}})
    assert changed_parts(BASE, replace(BASE, scenario=tagged)) == ()
