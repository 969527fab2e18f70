from __future__ import annotations

import json
import math
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.replies import Answer, Rating, ReplyFault, read_listing, read_mark, read_marks, read_rating
from reward_lab.core.verdict import CriterionVerdict, Reason

IDS = ("1", "2", "3")


def listing(text: str) -> dict[str, Rating]:
    return read_listing(text, IDS)


def rating(text: str) -> Rating:
    return read_rating(text, 1, 10, whole=True)


def marks(text: str) -> tuple[CriterionVerdict, ...]:
    return read_marks(text, {"1": 0, "2": 1})


def mark(text: str) -> tuple[CriterionVerdict, ...]:
    return read_mark(text, 4)


READERS: list[Callable[[str], Answer]] = [listing, rating, marks, mark]


def fault_of(read: Callable[[str], Answer], text: str) -> ReplyFault:
    with pytest.raises(ReplyFault) as raised:
        read(text)
    return raised.value


def scores(*entries: tuple[object, object], **more: object) -> str:
    return json.dumps(
        {
            "scores": [
                {"trajectory_id": one, "explanation": f"about {one}", "score": score, **more} for one, score in entries
            ]
        }
    )


GOOD = scores(("1", 0.1), ("2", 0.2), ("3", 0.3))
READ = {one: Rating(score, f"about {one}") for one, score in (("1", 0.1), ("2", 0.2), ("3", 0.3))}


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
            '"٠.٨"',
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


# ---- what stands around the JSON


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```json\n{GOOD}\n```", id="fence"),
        pytest.param(f"```\n{GOOD}\n```", id="fence without language"),
        pytest.param(f"```JSON {GOOD}```", id="fence on one line"),
        pytest.param(f"Here you are:\n```json\n{GOOD}\n```\nI hope this helps!", id="fence amid prose"),
        pytest.param(f"Sure. {GOOD}", id="prose before"),
        pytest.param(f"{GOOD}\nNote: 2 was close. {{x}} [1]", id="trailing prose"),
        pytest.param(f"The rubric says {{a: 1}} and {{0}} and {{}}. {GOOD} {{", id="braces in prose"),
        pytest.param(f"Well, it's {{ not simple: {GOOD}", id="unbalanced brace in prose"),
        pytest.param(f"\ufeff \n{GOOD}\n\n", id="blanks and byte order mark"),
        pytest.param(f"{GOOD}\n{GOOD}", id="said twice, the same"),
        pytest.param(f"<think>Perhaps {scores(('1', 1), ('2', 1), ('3', 1))}</think>{GOOD}", id="think"),
        pytest.param(f"<thinking>\n{scores(('1', 1))}\n</thinking>\n```json\n{GOOD}\n```", id="thinking, fence"),
        pytest.param(f"<THINK >a</THINK >{GOOD}<think>b {{</think>", id="think, odd spelling, twice"),
        pytest.param(f"{scores(('1', 1), ('2', 1), ('3', 1))}\n</think>\n{GOOD}", id="lone closing tag"),
        pytest.param(f'{{"scores": [{{"traj\n</think>\n{GOOD}', id="lone closing tag after a draft cut off"),
        pytest.param(f"{GOOD}<think>or rather {scores(('1', 1), ('2', 1), ('3', 1))}", id="unclosed opening after"),
        pytest.param(f"<think>a<think>b</think>{scores(('1', 1))}</think>{GOOD}", id="think in think"),
        pytest.param(GOOD[:-1] + ", }", id="trailing comma"),
        pytest.param(GOOD.replace('"', "'"), id="single quotes"),
        pytest.param(GOOD.replace('{"scores"', "{scores"), id="bare key"),
        pytest.param(f"Sure: {GOOD[:-2]},]}} Done.", id="trailing comma amid prose"),
    ],
)
def test_replies_that_are_read(text: str) -> None:
    assert listing(text) == READ


def test_an_explanation_may_quote_think_tags_and_braces() -> None:
    said = "It leaks its <think> and </think>, and says {\"rating\": 1} and '}'."
    text = json.dumps({"explanation": said, "rating": 3})
    for around in ("{}", "```json\n{}\n```", '<think>hm {"rating": 9}</think>\n{}', "draft\n</think>\n```\n{}\n```"):
        assert rating(around.replace("{}", text)) == Rating(3.0, said)


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ('{"explanation": "two\nlines", "rating": 3}', "two\nlines"),
        ("{'explanation': 'it is', 'rating': 3, 'final': True}", "it is"),
        ("{'explanation': \"it's\", 'rating': 3, 'draft': None,}", "it's"),
        ("{'explanation': 'it's so', 'rating': 3}", "it's so"),
        ('{"explanation": "a \\"b\\" c", "rating": 3.0,}', 'a "b" c'),
        ('{"explanation": "see {x: 1}", "rating": 3,}', "see {x: 1}"),
    ],
)
def test_slips_of_syntax_are_mended(text: str, explanation: str) -> None:
    assert rating(text) == Rating(3.0, explanation)


def test_python_constants() -> None:
    assert mark("{'explanation': 'e', 'met': True}") == (CriterionVerdict(4, True, "e"),)
    assert mark("{'explanation': 'e', 'met': False,}") == (CriterionVerdict(4, False, "e"),)


@pytest.mark.parametrize(
    "text",
    [
        "{'rating': 3, 'rating': 9}",
        '{"rating": 3 9,}',
        '{"rating": 30%,}',
        '{"rating": 3 // or 9\n}',
        '{"rating": 3 /* 9 */}',
        '{"rating": (3)}',
        '{"rating": 3, 9,}',
        '{"rating": "3" or "9",}',
        '{"rating": 3: 9}',
        '{"rating" 3, "rating": 9}',
        '{"rating": not 3}',
    ],
)
def test_mending_never_chooses(text: str) -> None:
    assert fault_of(rating, text).fault.reason is Reason.UNREADABLE_REPLY


@pytest.mark.parametrize(
    "text",
    [
        '{"rating": 3} or rather {"rating": 4}',
        '```json\n{"rating": 3}\n```\n```json\n{"rating": 4}\n```',
        '{"rating": 3} <think>x</think> {"rating": 4}',
        '[{"rating": 3}, {"rating": 4}]',
        "{\"rating\": 3} {'rating': 4}",
        '{"rating": 3, "explanation": "a"} {"rating": 3, "explanation": "b"}',
        '{"rating": 3, "score": 4}',
        '{"rating": 3, "rating": 4}',
    ],
)
def test_two_answers_are_ambiguous(text: str) -> None:
    fault = fault_of(rating, text)
    assert (fault.fault.reason, fault.partial) == (Reason.UNREADABLE_REPLY, None)
    assert "different" in fault.fault.detail


def test_a_key_given_twice_with_one_value_is_one() -> None:
    assert rating('{"rating": 3, "rating": 3}') == Rating(3.0, "")


def test_a_key_given_twice_in_an_entry() -> None:
    text = '{"scores": [{"trajectory_id": "1", "score": 0.1, "score": 0.9}]}'
    assert 'gives "score" twice' in fault_of(listing, text).fault.detail


# ---- cut, empty, declined


@pytest.mark.parametrize("text", [GOOD, f"```json\n{GOOD}\n```", f"Sure: {GOOD}", GOOD.replace('"', "'")])
def test_a_reply_cut_anywhere_in_its_json_is_never_read(text: str) -> None:
    begin, end = text.index("{"), text.rindex("}")
    for length in range(begin + 3, end):
        fault = fault_of(listing, text[:length])
        assert fault.partial is None
        assert fault.fault.reason in (Reason.CUT_REPLY, Reason.UNREADABLE_REPLY)
        if length > begin + 12:
            assert fault.fault.reason is Reason.CUT_REPLY


def test_a_complete_entry_in_a_reply_that_is_cut_does_not_count() -> None:
    assert fault_of(rating, '{"draft": {"rating": 3}, "explanation": "so I').fault.reason is Reason.CUT_REPLY
    assert fault_of(rating, '{"rating": 3} {"rating": 4, "expl').fault.reason is Reason.CUT_REPLY


@pytest.mark.parametrize("text", ['<think>{"rating": 3}', '<think>a</think><thinking>{"rating": 3} so', "<think>"])
def test_thinking_without_end(text: str) -> None:
    fault = fault_of(rating, text)
    assert (fault.fault.reason, fault.partial) == (Reason.CUT_REPLY, None)
    assert "thinking" in fault.fault.detail


@pytest.mark.parametrize("text", ["", " \n\t", '<think>{"rating": 3}</think>', '{"rating": 3}</think>\n'])
@pytest.mark.parametrize("read", READERS)
def test_empty_replies(read: Callable[[str], Answer], text: str) -> None:
    assert fault_of(read, text).fault.reason is Reason.EMPTY_REPLY


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("I'm sorry, but I can't help with that. Ask again.", "I'm sorry, but I can't help with that."),
        ("I cannot assess these responses", "I cannot assess these responses"),
        ("I can\u2019t judge medical advice. Sorry!", "I can\u2019t judge medical advice."),
        ("As an AI I must decline to answer this.\nBye", "As an AI I must decline to answer this."),
        ("Unable to evaluate: the text is missing.", "Unable to evaluate: the text is missing."),
        ("<think>{}</think>We will not rate this.", "We will not rate this."),
    ],
)
@pytest.mark.parametrize("read", READERS)
def test_refusals_are_quoted(read: Callable[[str], Answer], text: str, sentence: str) -> None:
    fault = fault_of(read, text)
    assert (fault.fault.reason, fault.partial) == (Reason.REFUSAL, None)
    assert f'"{sentence}"' in fault.fault.detail


@pytest.mark.parametrize(
    "text", ["All are good: 0.8, 0.7.", "The agent cannot find the file. Score: 0.3", "{", "{x}", "][", "null"]
)
@pytest.mark.parametrize("read", READERS)
def test_prose_without_json(read: Callable[[str], Answer], text: str) -> None:
    assert fault_of(read, text).fault.reason is Reason.UNREADABLE_REPLY


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
    "word", [False, "false", "False", "no", "NO", "unmet", "UNMET", "not met", "Not  Met", "NOT MET", "not satisfied"], ids=repr
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
    assert [(one.position, one.holds) for one in read_marks(text, positions)] == sorted(truth.items())


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


# ---- whatever comes

PIECES = st.sampled_from(
    [
        *(
            '{"rating": 3',
            "}",
            "{",
            '"',
            "'",
            ",",
            ":",
            "[",
            "]",
            "<think>",
            "</think>",
            "```json\n",
            "```",
            "\\",
            "\n",
            " ",
        ),
        *(
            '{"scores": [',
            '{"trajectory_id": "1", "score": 0.5}',
            '{"met": true}',
            "True",
            "NaN",
            "null",
            "0.8x",
            "\ud800",
            "日",
        ),
        *("I cannot", '"criteria"', "{'met': True,}", "\x00", "\u2028", "1e999", "{{", "}}", '"rating": 9'),
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=14).map("".join)))
def test_nothing_but_a_reply_fault_is_ever_raised(text: str) -> None:
    for read in READERS:
        try:
            answer = read(text)
        except ReplyFault as fault:
            assert fault.fault.detail.count("\n") == 0
            fault.fault.detail.encode("utf-8")
        else:
            given = answer.values() if isinstance(answer, dict) else [answer] if isinstance(answer, Rating) else []
            assert all(math.isfinite(one.score) for one in given)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["scores", "criteria", "rating", "score", "met", "id", "trajectory_id", "explanation"]),
                inner,
            )
        ),
        max_leaves=15,
    )
)
def test_any_json_is_an_answer_or_a_fault(value: object) -> None:
    for read in READERS:
        try:
            read(json.dumps(value))
        except ReplyFault as fault:
            assert fault.fault.detail.endswith(".")  # noqa: PT017 - a fault is one of two good outcomes here


MEGABYTE = 1_000_000
GARBAGE = {
    "braces": "{" * MEGABYTE,
    "brackets": "[" * MEGABYTE,
    "nested, cut": '{"rating":' * (MEGABYTE // 10),
    "nested, closed": '{"rating":' * (MEGABYTE // 11) + "1" + "}" * (MEGABYTE // 11),
    "nested lists": '{"rating":' + "[" * (MEGABYTE // 2) + "]" * (MEGABYTE // 2) + "}",
    "openings": '{"' * (MEGABYTE // 2),
    "escaped quotes": '{"a' + '\\"' * (MEGABYTE // 2),
    "single quotes": "{'a': '" + "' " * (MEGABYTE // 2),
    "think openings": "<think>" * (MEGABYTE // 7),
    "think blocks": "<think></think>" * (MEGABYTE // 15),
    "think closings": "</think>" * (MEGABYTE // 8),
    "think, then blanks": "<think" + " " * MEGABYTE,
    "blanks in a brace": "{" + " " * MEGABYTE + "x",
    "blanks in a fence": "```" + " " * MEGABYTE + "x```",
    "broken objects": "{rating:1}" * (MEGABYTE // 10),
    "other objects": "{a:1}" * (MEGABYTE // 5),
    "good objects": '{"rating":3}' * (MEGABYTE // 12),
    "one long number": '{"rating": ' + "9" * MEGABYTE + "}",
    "zeros": "{rating: 0." + "0" * MEGABYTE + "1}",
    "quotes to mend": '{"rating": ' + '"a" ' * 9_000 + "}",
    "words": "I can " * (MEGABYTE // 6),
    "nulls": "\x00" * MEGABYTE,
    "entries": '{"scores":[' + ",".join(['{"trajectory_id":"1","score":1}'] * 30_000) + "]}",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_read_in_linear_time(name: str) -> None:
    for read in (listing, rating):
        started = time.process_time()
        fault_of(read, GARBAGE[name])
        assert time.process_time() - started < 5  # quadratic reading of a megabyte takes minutes


def test_a_long_sensible_reply_is_read() -> None:
    ids = [str(number) for number in range(1, 201)]
    text = json.dumps({"criteria": [{"id": one, "explanation": "because " * 40, "met": True} for one in ids]})
    positions = {one: index for index, one in enumerate(ids)}
    assert len(read_marks(f"Sure!\n```json\n{text}\n```", positions)) == 200
