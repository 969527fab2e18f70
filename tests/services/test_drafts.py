"""A draft keeps what was typed, and says which field is wrong."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.group import Group
from reward_lab.core.rubric import Rubric
from reward_lab.errors import InvalidGroup, InvalidJudge, InvalidRubric, InvalidRun, RewardLabError
from reward_lab.judges.litellm_request import _OURS as OURS
from reward_lab.services.drafts import OWN_PARAMETERS, Draft, JudgeDraft, ResponseDraft
from reward_lab.services.rubric_drafts import CriterionDraft

CALL = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"order": 7}'}}


def _draft(**changes: object) -> Draft:
    return Draft(responses=[ResponseDraft(id="a", text="Yes."), ResponseDraft(id="b", text="No.")]).model_copy(
        update=changes
    )


def test_plain_texts_become_a_conversation() -> None:
    group = _draft(system_prompt="Be brief.", user="Is it?", reference="Yes.").group()
    assert group.scenario.conversation == (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Is it?"},
    )
    assert [trajectory.answer for trajectory in group.trajectories] == ["Yes.", "No."]
    assert group.scenario.reference_answer == "Yes."


def test_a_blank_reference_is_no_reference() -> None:
    assert _draft(reference="  \n").group().scenario.reference_answer is None


def test_a_group_of_agents_survives_the_draft() -> None:
    record = {
        "id": "agents",
        "scenario": {
            "system_prompt": "S",
            "messages": [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}],
            "tools": [{"type": "function", "function": {"name": "look_up"}}],
        },
        "trajectories": [
            {
                "id": "t1",
                "label": "calls",
                "independent_reward": 0.5,
                "metadata": {"policy": "v3"},
                "messages": [
                    {"role": "assistant", "content": None, "tool_calls": [CALL]},
                    {"role": "tool", "tool_call_id": "c1", "content": "shipped"},
                    {"role": "assistant", "content": "It has shipped."},
                ],
            },
            {"id": "t2", "text": "I do not know."},
        ],
        "metadata": {"source": "log 4"},
    }
    group = Group.from_record(record)
    assert Draft.of(group, Rubric()).group() == group


@given(st.text())
def test_any_text_survives_the_draft(text: str) -> None:
    draft = _draft(system_prompt=text, responses=[ResponseDraft(id="a", text=text)])
    again = Draft.model_validate(json.loads(json.dumps(draft.model_dump(mode="python"), default=str)))
    assert (again.system_prompt, again.responses[0].text) == (text, text)


def test_a_response_that_looks_like_messages_keeps_its_text_through_a_group() -> None:
    text = '[{"role": "user", "content": "this is what the model wrote"}]'
    group = Group.from_record({"id": "g", "trajectories": [{"id": "1", "text": text}]})
    assert Draft.of(group, Rubric()).group() == group


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"responses": []}, InvalidGroup, "no response"),
        ({"tools": "[{"}, InvalidGroup, "Tools: this is not valid JSON"),
        ({"tools": "[3]"}, InvalidGroup, "Tools[0]"),
        ({"user": '[{"role": "wizard", "content": "x"}]'}, InvalidGroup, "'wizard'"),
        ({"user": '[{"role": "user", "content": "x"'}, InvalidGroup, "Conversation: this is not valid JSON"),
        (
            {"responses": [ResponseDraft(id="a", text="x"), ResponseDraft(id="b", text='[{"role": "judge"}]')]},
            InvalidGroup,
            "Response B",
        ),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, object], error: type[RewardLabError], words: str) -> None:
    with pytest.raises(error) as caught:
        _draft(**changes).group()
    assert words in str(caught.value)


def test_rows_without_words_are_no_criteria() -> None:
    rows = [CriterionDraft(description=" "), CriterionDraft(title="A", description="Says yes.", category="Pitfall")]
    assert [criterion.title for criterion in _draft(criteria=rows).rubric().criteria] == ["A"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (CriterionDraft(title="Tone"), "'Tone'"),
        (CriterionDraft(description="x", weight=float("nan")), "weight nan"),
        (CriterionDraft(description="x", weight=float("inf")), "weight inf"),
        (CriterionDraft(description="x", category="Vital"), "criteria 1: category"),
    ],
)
def test_a_wrong_criterion_is_named(row: CriterionDraft, words: str) -> None:
    with pytest.raises(InvalidRubric) as caught:
        _draft(criteria=[row]).rubric()
    assert words in str(caught.value)


def test_judge_parameters_are_a_json_object() -> None:
    judge = JudgeDraft(model="openai/m", api_base="http://127.0.0.1:1/v1/", parameters='{"temperature": 0}')
    (made,) = _draft(judges=[judge]).ensemble()
    assert (made.api_base, made.parameters) == ("http://127.0.0.1:1/v1", {"temperature": 0})


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (JudgeDraft(parameters="temperature=0"), "not valid JSON"),
        (JudgeDraft(parameters="[1]"), "must be a JSON object"),
        (JudgeDraft(parameters='{"api_key": "x"}'), "keys come from the environment"),
        (JudgeDraft(parameters='{"temperature": NaN}'), "not valid JSON"),
        (JudgeDraft(api_base="ftp://x"), "http://"),
        (JudgeDraft(api_base="https://me:hunter2@host/v1"), "no user, password or query"),
        (JudgeDraft(api_base="https://host/v1?key=hunter2"), "no user, password or query"),
        (JudgeDraft(parameters='{"timeout": 3}'), "'timeout' is not the judge's to set; set REWARD_LAB_TIMEOUT_S"),
        (JudgeDraft(parameters='{"n": 4}'), "set Repeats"),
        (JudgeDraft(parameters='{"stream": true}'), "replies are read whole"),
        (JudgeDraft(parameters='{"base_url": "http://x"}'), "write it as the endpoint"),
        (JudgeDraft(model=" "), "no model is chosen"),
    ],
)
def test_a_wrong_judge_is_named(judge: JudgeDraft, words: str) -> None:
    with pytest.raises(InvalidJudge) as caught:
        _draft(judges=[judge]).ensemble()
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_every_parameter_that_the_calls_refuse_is_refused_before_them() -> None:
    assert OWN_PARAMETERS.keys() >= OURS


def test_judges_are_named_by_their_place_and_each_is_asked_once() -> None:
    with pytest.raises(InvalidJudge, match=r"^Judge 2: no model is chosen"):
        _draft(judges=[JudgeDraft(), JudgeDraft(model="")]).ensemble()
    with pytest.raises(InvalidJudge, match=r"^Judges 1 and 3 are the same \(openai/m\).*set Repeats"):
        _draft(judges=[JudgeDraft(model="openai/m"), JudgeDraft(), JudgeDraft(model="openai/m ")]).ensemble()
    cold, warm = (JudgeDraft(model="openai/m", parameters=f'{{"temperature": {one}}}') for one in (0, 1))
    assert len(_draft(judges=[cold, warm]).ensemble()) == 2


def test_methods_come_in_the_order_of_the_registry() -> None:
    assert _draft(methods=["likert", "ruler"]).settings().methods == ("ruler", "likert")
    with pytest.raises(InvalidRun, match="No method"):
        _draft(methods=[]).settings()
