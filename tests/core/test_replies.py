from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.replies import Rating, ReplyFault, read_listing, read_marks, read_rating
from reward_lab.core.verdict import CriterionVerdict, Reason
from tests.core.reading import GOOD, IDS, READ, fault_of, listing, mark, marks, rating, scores

# ---- ids


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD, id="in order"),
        pytest.param(scores(("3", 0.3), ("2", 0.2), ("1", 0.1)), id="reversed"),
        pytest.param(scores((2, 0.2), (1, 0.1), (3, 0.3)), id="integers"),
        pytest.param(scores((" 2 ", 0.2), (1, 0.1), ("3", 0.3)), id="mixed, with blanks"),
        pytest.param(json.dumps(json.loads(GOOD)["scores"]), id="bare list"),
        pytest.param("\n".join(map(json.dumps, json.loads(GOOD)["scores"])), id="one entry a line"),
        pytest.param(GOOD.replace("trajectory_id", "id"), id="ids called id"),
    ],
)
def test_entries_are_matched_by_id(text: str) -> None:
    assert listing(text.replace("about  2 ", "about 2")) == READ


@given(st.permutations(list(zip(IDS, (0.0, 0.5, 1.0), strict=True))), st.booleans())
def test_no_order_swaps_scores(entries: list[tuple[str, float]], as_integers: bool) -> None:
    text = scores(*((int(one) if as_integers else one, score) for one, score in entries))
    assert {one: got.score for one, got in listing(text).items()} == {"1": 0.0, "2": 0.5, "3": 1.0}


def test_a_missing_id_leaves_the_rest_as_partial() -> None:
    fault = fault_of(listing, scores(("3", 0.3), ("1", 0.1)))
    assert fault.fault.reason is Reason.WRONG_IDS
    assert fault.fault.detail == "The reply leaves out trajectory 2: give one entry for each trajectory, by its id."
    assert fault.partial == {"1": READ["1"], "3": READ["3"]}


def test_seven_scores_for_eight() -> None:
    ids = [str(number) for number in range(1, 9)]
    with pytest.raises(ReplyFault) as raised:
        read_listing(scores(*((one, 0.5) for one in ids if one != "5")), ids)
    assert raised.value.fault.reason is Reason.WRONG_IDS
    assert "trajectory 5:" in raised.value.fault.detail
    assert isinstance(raised.value.partial, dict)
    assert list(raised.value.partial) == [one for one in ids if one != "5"]


def test_no_entries_at_all_are_no_partial() -> None:
    fault = fault_of(listing, '{"scores": []}')
    assert (fault.fault.reason, fault.partial) == (Reason.WRONG_IDS, None)
    assert "1, 2, 3" in fault.fault.detail


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        pytest.param((("1", 0.1), ("2", 0.2), ("2", 0.3)), "trajectory 2 more than once", id="doubled"),
        pytest.param(
            (("1", 0.1), (1, 0.1), ("2", 0.2), ("3", 0.3)), "trajectory 1 more than once", id="doubled as integer"
        ),
        pytest.param((("1", 0.1), ("2", 0.2), ("4", 0.3)), '"4", but the ids are 1, 2, 3', id="unknown"),
        pytest.param((("1", 0.1), ("2", 0.2), ("3", 0.3), ("0", 0.3)), '"0", but', id="one too many"),
        pytest.param((("1", 0.1), (True, 0.2), ("3", 0.3)), "true, but", id="boolean"),
        pytest.param((("1", 0.1), (2.0, 0.2), ("3", 0.3)), "2.0, but", id="float"),
        pytest.param((("1", 0.1), (None, 0.2), ("3", 0.3)), "null, but", id="null"),
        pytest.param((("1", 0.1), ([2], 0.2), ("3", 0.3)), "a list, but", id="list"),
        pytest.param((("trajectory 1", 0.1), ("2", 0.2), ("3", 0.3)), '"trajectory 1", but', id="decorated"),
    ],
)
def test_wrong_ids_are_not_trusted_in_part(entries: tuple[tuple[object, object], ...], named: str) -> None:
    fault = fault_of(listing, scores(*entries))
    assert (fault.fault.reason, fault.partial) == (Reason.WRONG_IDS, None)
    assert named in fault.fault.detail


def test_positions_are_never_taken_for_ids() -> None:
    assert fault_of(listing, '{"scores": [0.1, 0.2, 0.3]}').fault.reason is Reason.UNREADABLE_REPLY
    without = '{"scores": [{"score": 0.1}, {"score": 0.2}, {"score": 0.3}]}'
    assert fault_of(listing, without).fault.detail == 'An entry of scores has no "trajectory_id": give it.'


# ---- numbers


@pytest.mark.parametrize("written", ["0.8", '"0.8"', '" 0.8 "', "8e-1", '"8e-1"', "0.80", '".8"', '"+0.8"', "0.8000"])
def test_numbers_in_and_out_of_quotes(written: str) -> None:
    text = f'{{"scores": [{{"trajectory_id": "1", "score": {written}}}]}}'
    assert read_listing(text, ["1"]) == {"1": Rating(0.8, "")}


@pytest.mark.parametrize(("written", "expected"), [("0", 0.0), ("1", 1.0), ("-0.0", 0.0), ('"1"', 1.0), ("1.0", 1.0)])
def test_the_ends_of_the_scale_are_on_it(written: str, expected: float) -> None:
    assert read_listing(f'[{{"trajectory_id": 1, "score": {written}}}]', ["1"])["1"].score == expected


@pytest.mark.parametrize(
    "written",
    [
        *(
            '"0.8x"',
            "0.8x",
            '"80%"',
            "80%",
            '"8/10"',
            "8/10",
            "true",
            "false",
            '"true"',
            "NaN",
            "Infinity",
            "-Infinity",
        ),
        *(
            '"NaN"',
            '"inf"',
            "1e999",
            '"1e999"',
            '"0,8"',
            "0,8",
            '"0.8 0.9"',
            "0.8 0.9",
            "1_0",
            '"1_0"',
            '"\u0660.\u0668"',
            '"0x1"',
        ),
        *(
            "[0.8]",
            '{"value": 0.8}',
            '"high"',
            '""',
            "~0.8",
            "0.8..0.9",
            "--0.8",
            "1" + "0" * 400,
            "9" * 5000,
            '"' + "9" * 99 + '"',
        ),
    ],
)
def test_what_is_no_plain_number_is_refused(written: str) -> None:
    fault = fault_of(
        lambda text: read_listing(text, ["1"]), f'{{"scores": [{{"trajectory_id": "1", "score": {written}}}]}}'
    )
    assert fault.fault.reason is Reason.UNREADABLE_REPLY
    assert fault.partial is None
    assert len(fault.fault.detail) < 200


@pytest.mark.parametrize(("score", "shown"), [(7, "7"), (-3, "-3"), (1.0001, "1.0001"), ("7", '"7"'), (-0.01, "-0.01")])
def test_out_of_range_is_named_and_never_clamped(score: object, shown: str) -> None:
    fault = fault_of(listing, scores(("1", 0.1), ("2", score), ("3", 0.3)))
    assert (fault.fault.reason, fault.partial) == (Reason.OUT_OF_RANGE, None)
    assert fault.fault.detail == (
        f"The score {shown} of trajectory 2 lies outside the scale from 0 to 1: give a number on that scale."
    )


@pytest.mark.parametrize(("written", "expected"), [("7", 7.0), ("7.0", 7.0), ('"7"', 7.0), ("1", 1.0), ("10", 10.0)])
def test_whole_ratings(written: str, expected: float) -> None:
    assert rating(f'{{"explanation": "e", "rating": {written}}}') == Rating(expected, "e")
    assert rating(f'{{"explanation": "e", "score": {written}}}') == Rating(expected, "e")


def test_a_rating_between_whole_numbers_is_a_fault() -> None:
    fault = fault_of(rating, '{"rating": 7.5}').fault
    assert fault.reason is Reason.UNREADABLE_REPLY
    assert fault.detail == "The rating 7.5 is not a whole number: give one from 1 to 10."
    assert read_rating('{"rating": 7.5}', 1, 10, whole=False).score == 7.5


@pytest.mark.parametrize("written", ["0", "11", "-1", "0.8"])
def test_a_rating_off_the_scale(written: str) -> None:
    fault = fault_of(rating, f'{{"rating": {written}}}').fault
    assert fault.reason is Reason.OUT_OF_RANGE
    assert f"{written} of the response lies outside the scale from 1 to 10" in fault.detail


@pytest.mark.parametrize(
    "text", ['{"explanation": "e"}', '{"scores": [{"trajectory_id": "1"}]}', "{}", "[]", "7", '"7"']
)
def test_a_missing_score_is_a_fault(text: str) -> None:
    for read in (rating, lambda text: read_listing(text, ["1"])):
        fault = fault_of(read, text)
        assert (fault.fault.reason, fault.partial) == (Reason.UNREADABLE_REPLY, None)


@pytest.mark.parametrize(
    ("explanation", "expected"), [("", ""), ("a\ud800b", "a\\ud800b"), (None, ""), (["x"], ""), ("日本", "日本")]
)
def test_explanations(explanation: object, expected: str) -> None:
    assert rating(json.dumps({"explanation": explanation, "rating": 3})) == Rating(3.0, expected)


def test_a_missing_explanation_is_allowed() -> None:
    assert rating('{"rating": 3}') == Rating(3.0, "")


# ---- scores withheld


@pytest.mark.parametrize(
    "value", [None, "cannot assess", "N/A", "Cannot be assessed: no answer", "unable to judge", "null"]
)
def test_a_score_withheld_is_a_refusal_with_its_words(value: object) -> None:
    fault = fault_of(rating, json.dumps({"explanation": "the answer is missing", "rating": value}))
    assert (fault.fault.reason, fault.partial) == (Reason.REFUSAL, None)
    assert '"the answer is missing"' in fault.fault.detail


def test_one_score_withheld_leaves_the_others() -> None:
    fault = fault_of(listing, scores(("1", 0.1), ("2", None), ("3", 0.3)))
    assert fault.fault.reason is Reason.REFUSAL
    assert fault.fault.detail == 'The judge gave no verdict on trajectory 2 ("about 2"): judge from what is given.'
    assert fault.partial == {"1": READ["1"], "3": READ["3"]}


# ---- verdicts on criteria


def told(*entries: tuple[object, object]) -> str:
    return json.dumps({"criteria": [{"id": one, "explanation": f"about {one}", "met": met} for one, met in entries]})


@pytest.mark.parametrize(
    "word", [True, "true", "True", "TRUE", "yes", "Yes", "met", "MET", "satisfied", "Satisfied", " met "], ids=repr
)
def test_words_for_true(word: object) -> None:
    assert mark(json.dumps({"met": word})) == (CriterionVerdict(4, True, ""),)


@pytest.mark.parametrize(
    "word",
    [False, "false", "False", "no", "NO", "unmet", "UNMET", "not met", "Not  Met", "NOT MET", "not satisfied"],
    ids=repr,
)
def test_words_for_false(word: object) -> None:
    assert mark(json.dumps({"met": word})) == (CriterionVerdict(4, False, ""),)


@pytest.mark.parametrize(
    "word",
    [
        1,
        0,
        1.0,
        "",
        "partially met",
        "met and unmet",
        "MET/UNMET",
        "maybe",
        "not true",
        "truefalse",
        [],
        [True],
        {},
        "t",
    ],
)
def test_other_words_are_faults(word: object) -> None:
    assert fault_of(mark, json.dumps({"met": word})).fault.reason is Reason.UNREADABLE_REPLY
    assert fault_of(marks, told(("1", True), ("2", word))).fault.reason is Reason.UNREADABLE_REPLY


def test_marks_take_their_place_in_the_rubric_not_in_the_prompt() -> None:
    positions = {"1": 2, "2": 0, "3": 1}
    read = read_marks(told(("3", True), (1, False), ("2", "yes")), positions)
    assert read == (
        CriterionVerdict(0, True, "about 2"),
        CriterionVerdict(1, True, "about 3"),
        CriterionVerdict(2, False, "about 1"),
    )


@given(st.permutations(range(5)), st.permutations(range(5)))
def test_marks_survive_any_two_orders(shown: list[int], answered: list[int]) -> None:
    positions = {str(number): position for number, position in enumerate(shown, start=1)}
    truth = {position: position % 2 == 0 for position in range(5)}
    entries = list(positions.items())
    text = told(*((entries[index][0], truth[entries[index][1]]) for index in answered))
    assert [(one.position, one.truth) for one in read_marks(text, positions)] == sorted(truth.items())


def test_missing_and_open_marks_leave_the_others() -> None:
    fault = fault_of(marks, told(("2", True)))
    assert (fault.fault.reason, fault.partial) == (Reason.WRONG_IDS, (CriterionVerdict(1, True, "about 2"),))
    fault = fault_of(marks, told(("2", True), ("1", None)))
    assert fault.fault.reason is Reason.REFUSAL
    assert fault.partial == (CriterionVerdict(0, None, "about 1"), CriterionVerdict(1, True, "about 2"))
    fault = fault_of(mark, '{"met": null, "explanation": "no source"}')
    assert fault.fault.reason is Reason.REFUSAL
    assert fault.partial == (CriterionVerdict(4, None, "no source"),)


@pytest.mark.parametrize(
    "entries", [(("1", True), ("1", True)), (("1", True), ("2", True), ("3", True)), (("1", True), ("0", False))]
)
def test_marks_with_wrong_ids(entries: tuple[tuple[object, object], ...]) -> None:
    fault = fault_of(marks, told(*entries))
    assert (fault.fault.reason, fault.partial) == (Reason.WRONG_IDS, None)
