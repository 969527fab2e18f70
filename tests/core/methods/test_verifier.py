from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.group import Group
from reward_lab.core.methods.method import Arrangement
from reward_lab.core.methods.verifier import VERIFIER, last_number, verify
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Reason, Scored, Unscored, Verdict
from reward_lab.errors import InvalidRubric
from tests.core.methods.asking import group_of


def rubric(*verifiers: dict[str, object]) -> Rubric:
    return Rubric.from_record({"verifiers": list(verifiers)})


def verdict(answer: str, *verifiers: dict[str, object], reference: str | None = None) -> Verdict:
    group = group_of(answer, reference=reference)
    checks = rubric(*verifiers)
    assert VERIFIER.obstacle(group, checks) is None
    assert VERIFIER.questions(group, group.trajectories, checks, Arrangement()) == []
    (one,) = VERIFIER.verdicts(group, group.trajectories, checks, [])
    return one


def holds(answer: str, verifier: dict[str, object], reference: str | None = None) -> bool:
    one = verdict(answer, verifier, reference=reference)
    assert isinstance(one, Scored)
    assert one.criteria[0].truth == (one.score == 1.0)
    assert one.criteria[0].explanation.endswith(".")
    return one.score == 1.0


@pytest.mark.parametrize(
    ("answer", "value", "case_sensitive", "expected"),
    [
        ("Paris", "paris", False, True),
        (" Paris\n", "Paris", True, True),
        ("paris", "Paris", True, False),
        ("Paris.", "Paris", False, False),
        ("STRASSE", "straße", False, True),
        ("", "", False, True),
        ("a", "", False, False),
    ],
)
def test_exact(answer: str, value: str, case_sensitive: bool, expected: bool) -> None:
    assert holds(answer, {"kind": "exact", "value": value, "case_sensitive": case_sensitive}) is expected
    if value:
        assert holds(answer, {"kind": "exact", "case_sensitive": case_sensitive}, reference=value) is expected


@pytest.mark.parametrize(
    ("answer", "value", "case_sensitive", "expected"),
    [("in Paris, now", "PARIS", False, True), ("in Paris", "PARIS", True, False), ("in Rome", "Paris", False, False)],
)
def test_contains(answer: str, value: str, case_sensitive: bool, expected: bool) -> None:
    assert holds(answer, {"kind": "contains", "value": value, "case_sensitive": case_sensitive}) is expected
    assert holds(answer, {"kind": "contains", "case_sensitive": case_sensitive}, reference=value) is expected


@pytest.mark.parametrize(
    ("answer", "pattern", "expected"),
    [
        ("a\nANSWER: 7\nb", r"^ANSWER: \d$", True),
        ("answer", "ANSWER", False),
        ("answer", "(?i)ANSWER", True),
        ("", "^$", True),
    ],
)
def test_regex(answer: str, pattern: str, expected: bool) -> None:
    assert holds(answer, {"kind": "regex", "pattern": pattern}) is expected


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_a_pattern_without_end_is_stopped_and_unscored(pattern: str) -> None:
    started = time.perf_counter()
    one = verdict("a" * 5_000 + "!", {"kind": "contains", "value": "a"}, {"kind": "regex", "pattern": pattern})
    assert time.perf_counter() - started < 20
    if isinstance(one, Scored):  # the engine may be clever enough to find that it cannot match
        assert one.criteria[1].truth is False
    else:
        assert one.reason is Reason.TIMEOUT
        assert [mark.truth for mark in one.criteria] == [True, None]
        assert "takes longer than" in one.detail


def test_the_time_limit_bites() -> None:
    group = group_of("a" * 5_000 + "!")
    checks = rubric({"kind": "regex", "pattern": "(a+)+$"})
    (one,) = VERIFIER.verdicts(group, group.trajectories, checks, [])
    assert isinstance(one, Unscored)
    assert verify(checks, group, group.trajectories[0]) == (None,)


@pytest.mark.parametrize("pattern", ["(", "[a", "(?P<a>", "*", "(?:" * 300 + ")" * 300])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidRubric, match="is no regular expression"):
        rubric({"kind": "regex", "pattern": pattern})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("42", 42.0),
        ("The answer is 42.", 42.0),
        ("3.14", 3.14),
        (".5", 0.5),
        ("first 1, then 2, last 3", 3.0),
        ("costs $5-$10", 10.0),
        ("costs $5–$10", 10.0),
        ("5-10", 10.0),
        ("-7", -7.0),
        ("x = -7", -7.0),
        ("(-7)", -7.0),
        ("\u22127", -7.0),
        ("\u20137", -7.0),
        ("-$7", -7.0),
        ("$-7", -7.0),
        ("$1,234,567.89", 1234567.89),
        ("-1,234", -1234.0),
        ("1\u202f234\u00a0567", 1234567.0),
        ("1,2345", 2345.0),
        ("1, 2", 2.0),
        ("€12", 12.0),
        ("80%", 80.0),
        ("1e3", 1000.0),
        ("2.5E-2", 0.025),
        ("2.5e\u22122", 0.025),
        ("10 m^2", 10.0),
        ("$x^2$", None),
        ("H2O", None),
        ("1.2.3", 1.2),
        ("42nd", 42.0),
        ("- 5 apples", 5.0),
        ("答案是42。", 42.0),
        ("الجواب ٤٢", 42.0),
        ("\uff14\uff12", 42.0),
        ("1e999", None),
        ("7 or 1e999", 7.0),
        ("m²", None),
        ("no number", None),
        ("", None),
        ("**42**", 42.0),
        (r"\boxed{42}", 42.0),
        ("-0.5", -0.5),
        ("42\u2028", 42.0),
    ],
    ids=ascii,
)
def test_the_last_number(text: str, expected: float | None) -> None:
    assert last_number(text) == expected


@given(st.text())
def test_any_text_has_a_last_number_or_none(text: str) -> None:
    number = last_number(text)
    assert number is None or isinstance(number, float)


@given(st.integers(-(10**12), 10**12))
def test_grouped_integers_are_read(value: int) -> None:
    assert last_number(f"In all: {value:,} units") == value
    assert last_number(str(value)) == value


@pytest.mark.parametrize("piece", ["1", "1,", "1,000", "-", "-$", ".", ".1", "1e", "a1", " 1", "1.1.", "٤", "$"])
def test_the_last_number_of_a_long_text_is_found_fast(piece: str) -> None:
    started = time.process_time()
    last_number(piece * (270_000 // len(piece)))
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("answer", "value", "tolerance", "expected"),
    [
        ("It is 1,000.", 1000, 1e-9, True),
        ("0.3", 0.1 + 0.2, 1e-9, True),
        ("3.1", 3.14, 0.05, True),
        ("3.0", 3.14, 0.05, False),
        ("none", 0, 1, False),
        ("5 or 6", 5, 1e-9, False),
    ],
)
def test_numeric(answer: str, value: float, tolerance: float, expected: bool) -> None:
    assert holds(answer, {"kind": "numeric", "value": value, "tolerance": tolerance}) is expected


def test_numeric_compares_with_the_reference() -> None:
    assert holds("so 42", {"kind": "numeric"}, reference="Work: 6*7.\nThe answer is 42")
    assert not holds("so 41", {"kind": "numeric"}, reference="42")


@pytest.mark.parametrize(
    ("field", "value"), [("value", "nan"), ("value", "inf"), ("tolerance", "nan"), ("tolerance", -1)]
)
def test_numeric_refuses_nan(field: str, value: object) -> None:
    with pytest.raises(InvalidRubric, match=field):
        rubric({"kind": "numeric", field: float(value) if isinstance(value, str) else value})


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(InvalidRubric, match="weight must be a finite number above 0"):
        rubric({"kind": "length", "weight": weight})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        *[(text, True) for text in ("{}", " [1]\n", "null", '"a"', "1e5", '{"a": "\\ud800"}')],
        *[
            (text, False)
            for text in ("", "{'a': 1}", "{} {}", "```json\n{}\n```", "NaN", "[Infinity]", "1e999", '{"a": 1')
        ],
        pytest.param("[" * 100_000, False, id="deep"),
        pytest.param("9" * 5_000, False, id="long number"),
    ],
)
def test_json(answer: str, expected: bool) -> None:
    assert holds(answer, {"kind": "json"}) is expected


SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 1},
        "s": {"type": "string", "pattern": "^[a-z]+$"},
        "u": {"type": "array", "uniqueItems": True},
        "t": {"$ref": "#/$defs/tree"},
    },
    "required": ["n"],
    "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"n": 1}', True),
        ('{"n": 1.0}', True),
        ('{"n": 0}', False),
        ('{"n": "1"}', False),
        ("{}", False),
        ("[]", False),
        ('{"n": 1, "s": "abc"}', True),
        ('{"n": 1, "s": "Abc"}', False),
        ('{"n": 1, "s": 5}', False),
        ('{"n": 1, "u": [1, 2, {"a": 1}]}', True),
        ('{"n": 1, "u": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]}', False),
        ('{"n": 1, "u": [1, 1.0]}', False),
        ('{"n": 1, "u": [1, true]}', True),
        ('{"n": 1, "t": [[], [[]]]}', True),
        ('{"n": 1, "t": [[1]]}', False),
        pytest.param('{"n": 1, "t": ' + "[" * 900 + "]" * 900 + "}", False, id="deeper than can be checked"),
        pytest.param(
            '{"n": 1, "u": [' + ",".join(f'{{"a": {n}}}' for n in range(20_000)) + "]}", True, id="many items"
        ),
    ],
)
def test_json_by_schema(answer: str, expected: bool) -> None:
    assert holds(answer, {"kind": "json", "json_schema": SCHEMA}) is expected


def test_a_pattern_in_a_schema_is_stopped_too() -> None:
    schema = {"type": "string", "pattern": "(a+)+$"}
    one = verdict(f'"{"a" * 5_000}!"', {"kind": "json", "json_schema": schema})
    assert isinstance(one, Unscored)
    assert one.reason is Reason.TIMEOUT
    assert "(a+)+$" in one.detail


def test_a_reference_that_leads_nowhere() -> None:
    one = verdict("1", {"kind": "json", "json_schema": {"$ref": "#/$defs/none"}})
    assert isinstance(one, Unscored)
    assert one.reason is Reason.BAD_REQUEST


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "thing"}, "is no JSON Schema"),
        ({"items": {"$ref": "https://example.com/x.json"}}, "points out of the schema"),
        ({"anyOf": [{"$ref": "file:///etc/passwd"}]}, "points out of the schema"),
        ({"properties": {"a": {"pattern": "("}}}, "is no JSON Schema"),
        ({"patternProperties": {"^a": {}}}, "patternProperties is not supported"),
    ],
)
def test_schemas_that_are_refused(schema: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidRubric, match=message):
        rubric({"kind": "json", "json_schema": schema})


def test_a_pattern_must_be_one_for_the_engine_that_runs_it() -> None:
    assert re.compile("(a){i<")
    with pytest.raises(InvalidRubric, match="is no regular expression"):
        rubric({"kind": "json", "json_schema": {"pattern": "(a){i<"}})


def test_a_property_may_be_called_as_a_keyword() -> None:
    schema = {"properties": {"patternProperties": {"type": "string"}, "pattern": {"type": "string"}}}
    assert holds('{"pattern": "x"}', {"kind": "json", "json_schema": schema})


@pytest.mark.parametrize(
    ("answer", "bounds", "expected"),
    [
        ("abc", {"at_least": 3, "at_most": 3}, True),
        ("ab", {"at_least": 3}, False),
        ("abcd", {"at_most": 3}, False),
        ("🙂é日", {"at_most": 3}, True),
        ("", {"at_most": 0}, True),
        ("x" * 270_000, {"at_least": 270_000}, True),
    ],
    ids=range(6),
)
def test_length(answer: str, bounds: dict[str, object], expected: bool) -> None:
    assert holds(answer, {"kind": "length", **bounds}) is expected


def test_several_by_weight() -> None:
    checks = (
        {"kind": "contains", "value": "42", "weight": 2.0},
        {"kind": "length", "at_most": 3, "weight": 0.5},
        {"kind": "regex", "pattern": "^It"},
    )
    one = verdict("It is 42.", *checks)
    assert isinstance(one, Scored)
    assert one.score == 3.0
    assert [(mark.position, mark.truth) for mark in one.criteria] == [(0, True), (1, False), (2, True)]
    assert one.criteria[1].explanation == "The answer has 9 characters; 0 to 3 are wanted."
    assert VERIFIER.scale(rubric(*checks)) == (0.0, 3.5)
    assert VERIFIER.reward(3.0, rubric(*checks)) == pytest.approx(3.0 / 3.5)
    group = group_of("It is 42.")
    assert verify(rubric(*checks), group, group.trajectories[0]) == (True, False, True)


def test_the_answer_is_the_last_assistant_message() -> None:
    group = Group.from_record(
        {
            "trajectories": [
                {
                    "messages": [
                        {"role": "assistant", "content": "42"},
                        {"role": "assistant", "content": None, "tool_calls": []},
                    ]
                },
                {
                    "messages": [
                        {"role": "assistant", "content": [{"type": "text", "text": "42"}]},
                        {"role": "user", "content": "7"},
                    ]
                },
            ]
        }
    )
    checks = rubric({"kind": "numeric", "value": 42})
    assert [verify(checks, group, one) for one in group.trajectories] == [(False,), (True,)]


@pytest.mark.parametrize("kind", ["exact", "contains", "numeric"])
def test_without_the_reference_that_is_needed(kind: str) -> None:
    for reference in (None, "", " "):
        group = group_of("42", reference=reference)
        obstacle = VERIFIER.obstacle(group, rubric({"kind": "length"}, {"kind": kind}))
        assert obstacle is not None
        assert obstacle.reason is Reason.NO_REFERENCE
        assert kind in obstacle.detail
        assert verify(rubric({"kind": kind}), group, group.trajectories[0]) == (None,)
    assert VERIFIER.obstacle(group_of("42", reference=None), rubric({"kind": kind, "value": "4"})) is None


def test_a_reference_without_a_number() -> None:
    obstacle = VERIFIER.obstacle(group_of("42", reference="forty-two"), rubric({"kind": "numeric"}))
    assert obstacle is not None
    assert obstacle.reason is Reason.NO_REFERENCE
    assert '"forty-two"' in obstacle.detail


def test_without_verifiers() -> None:
    obstacle = VERIFIER.obstacle(group_of("42"), Rubric())
    assert obstacle is not None
    assert obstacle.reason is Reason.NO_VERIFIERS
    assert VERIFIER.scale(Rubric()) == (0.0, 0.0)
