"""Evidence out of real stored runs: what counts once, whose word it is, and which responses are known to be good."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from reward_lab.core.chat import Message, text_of
from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.marks import Response
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.errors import NotFound
from reward_lab.judges.scripted import ScriptedTransport
from reward_lab.services.evidence import Evidence, Judged
from tests.services.laboratory import JUDGE, Bench, group, new_run, opened

OTHER = Judge(model="scripted/other")
RUBRIC = Rubric(
    criteria=(
        Criterion(description="The reply says yes."),
        Criterion(description="The reply is rude.", meets_when=False),
    )
)


@dataclass
class Opinions:
    """What each judge says of the two statements, by the words of the response; ``asked`` counts its calls."""

    said: dict[str, dict[str, tuple[bool, bool]]] = field(default_factory=dict)
    asked: int = 0

    def transport(self, judge: Judge) -> ScriptedTransport:
        def reply(_: object, messages: Sequence[Message]) -> str:
            self.asked += 1
            prompt = text_of(messages[-1])
            told = next(told for words, told in self.said[judge.model].items() if words in prompt)
            marks = [{"id": str(number), "explanation": "so", "met": met} for number, met in enumerate(told, start=1)]
            return json.dumps({"criteria": marks})

        return ScriptedTransport(reply)


@pytest.fixture
def opinions() -> Opinions:
    return Opinions({JUDGE.model: {"Yes.": (True, False), "No.": (False, False), "Perhaps.": (False, True)}})


@pytest.fixture
def bench(tmp_path: Path, opinions: Opinions) -> Iterator[Bench]:
    with opened(tmp_path, opinions.transport) as bench:
        yield bench


def scored(bench: Bench, *groups: Group, judges: tuple[Judge, ...] = (JUDGE,), **settings: object) -> int:
    made = new_run(groups or (group(),), "rar_explicit", rubric=RUBRIC, **settings)
    run_id, future = bench.scoring.start(replace(made, judges=judges))
    future.result(60)
    return run_id


def judged(bench: Bench, *run_ids: int) -> Judged:
    return Evidence(bench.results).of(RUBRIC, run_ids)


def met(found: Judged) -> list[float | None]:
    return [one.met for one in found.evidence]


def test_marks_are_gathered_with_polarity(bench: Bench) -> None:
    found = judged(bench, scored(bench))
    assert (found.responses, found.groups, len(found.marks)) == (3, 1, 6)
    assert found.judges == (JUDGE.model,)
    # One of three says yes; two of three are not rude.
    assert met(found) == pytest.approx([1 / 3, 2 / 3])
    assert [said.text for said in found.texts.values()] == ["Yes.", "No.", "Perhaps."]
    assert [said.head for said in found.texts.values()] == ["g, A", "g, B", "g, C"]


def test_a_cached_reply_in_a_later_run_is_no_repeat(bench: Bench, opinions: Opinions) -> None:
    first, second = scored(bench), scored(bench)
    assert opinions.asked == 3, "the second run was answered from the cache"
    found = judged(bench, first, second)
    assert (found.responses, len(found.marks)) == (3, 6)
    assert [one.flips.n for one in found.evidence] == [0, 0]
    assert met(found) == met(judged(bench, first))


def test_of_one_repeat_the_newest_run_counts_whatever_the_order_it_is_given_in(
    bench: Bench, opinions: Opinions
) -> None:
    first = scored(bench)
    opinions.said[JUDGE.model]["No."] = (True, False)
    second = scored(bench, ask_again=True)
    assert met(judged(bench, first)) == pytest.approx([1 / 3, 2 / 3])
    for order in ((first, second), (second, first)):
        found = judged(bench, *order)
        assert len(found.marks) == 6
        assert met(found) == pytest.approx([2 / 3, 2 / 3])


def test_repeats_within_a_run_show_what_flips(bench: Bench) -> None:
    found = judged(bench, scored(bench, repeats=2))
    assert len(found.marks) == 12
    assert [(one.flips.count, one.flips.n) for one in found.evidence] == [(0, 3), (0, 3)]


def test_two_judges_are_told_apart_and_do_not_count_as_one_that_flips(bench: Bench, opinions: Opinions) -> None:
    opinions.said[OTHER.model] = {"Yes.": (False, False), "No.": (False, False), "Perhaps.": (True, True)}
    found = judged(bench, scored(bench, judges=(JUDGE, OTHER)))
    assert found.judges == (JUDGE.model, OTHER.model)
    assert len(found.marks) == 12
    assert len({mark.judge for mark in found.marks}) == 2
    assert [one.flips.n for one in found.evidence] == [0, 0]
    # Of the six verdicts on "yes": one by the first judge, one by the other.
    assert met(found)[0] == pytest.approx(2 / 6)


def test_a_judge_is_the_same_whatever_its_place_in_the_ensemble(bench: Bench, opinions: Opinions) -> None:
    opinions.said[OTHER.model] = dict(opinions.said[JUDGE.model])
    one, other = scored(bench, judges=(JUDGE, OTHER)), scored(bench, judges=(OTHER, JUDGE))
    assert len(judged(bench, one, other).marks) == 12


def test_responses_of_several_groups_are_kept_apart(bench: Bench) -> None:
    refund = {"system_prompt": "Answer about refunds."}
    found = judged(bench, scored(bench, group("one"), group("two", **refund)))
    assert (found.responses, found.groups) == (6, 2)


def rewarded(*rewards: float | None) -> Group:
    texts = ("Yes.", "No.", "Perhaps.")
    records = [
        {"text": text} if reward is None else {"text": text, "independent_reward": reward}
        for text, reward in zip(texts, rewards, strict=True)
    ]
    return Group.from_record({"id": "g", "scenario": {}, "trajectories": records})


@pytest.mark.parametrize(
    ("rewards", "labels"),
    [
        ((1.0, 0.0, 0.0), [1.0, 0.0, 0.0]),
        ((0.9, 0.5, 0.1), [1.0, None, 0.0]),  # at the mean it tells nothing
        ((0.4, None, 0.2), [1.0, None, 0.0]),
        ((1.0, 1.0, 1.0), [None, None, None]),
        ((None, None, None), [None, None, None]),
    ],
)
def test_rewards_that_came_along_are_labels_against_the_groups_mean(
    bench: Bench, rewards: tuple[float | None, ...], labels: list[float | None]
) -> None:
    made = rewarded(*rewards)
    found = judged(bench, scored(bench, made))
    ids = [Response(made.key, trajectory.key) for trajectory in made.trajectories]
    assert [found.labels.get(one) for one in ids] == labels


def test_labels_move_weight_to_what_tells_good_from_bad(bench: Bench) -> None:
    found = judged(bench, scored(bench, rewarded(1.0, 0.0, 0.0)))
    yes, polite = found.proposed_weights(found.labels)
    assert yes.discrimination is not None
    assert polite.discrimination is not None
    # Good: 1 of 1 says yes, 1 of 1 is polite. Bad: 0 of 2, and 1 of 2.
    assert (yes.discrimination.met_good, yes.discrimination.met_bad) == (1.0, 0.0)
    assert (polite.discrimination.met_good, polite.discrimination.met_bad) == (1.0, 0.5)
    assert yes.proposed > yes.present
    assert polite.proposed < polite.present
    assert yes.proposed + polite.proposed == pytest.approx(yes.present + polite.present)


def test_runs_by_other_methods_tell_nothing_of_criteria(bench: Bench) -> None:
    run_id, future = bench.scoring.start(new_run((group(),), "verifier", rubric=RUBRIC))
    future.result(60)
    found = judged(bench, run_id)
    assert (found.marks, found.texts, found.judges) == ((), {}, ())


def test_a_run_that_is_not_stored_is_an_error(bench: Bench) -> None:
    with pytest.raises(NotFound):
        judged(bench, 99)
