"""The Rubrics page: written, saved, compared, generated, imported; two people never lose each other's work."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.services.drafts import Draft, JudgeDraft
from reward_lab.services.examples import examples
from reward_lab.services.rubric_drafts import CriterionDraft, RubricDraft
from reward_lab.services.templates import templates
from reward_lab.ui.criteria_inputs import findings_on, lint_lines
from reward_lab.ui.studio import Studio
from reward_lab.wiring import Lab
from tests.pages.drawn import checked, opened_at

APP = Path(__file__).parents[2] / "app.py"
PAGE = APP.parent / "pages" / "rubrics.py"
RUBRIC = Rubric(guidance="Be exact.", criteria=(Criterion(description="The reply states the deadline."),))


def opened(**address: object) -> AppTest:
    return opened_at(PAGE, **address)


def studio(page: AppTest) -> Studio:
    found = page.session_state["studio"]
    assert isinstance(found, Studio)
    return found


def pane(page: AppTest, name: str) -> AppTest:
    return checked(page.button_group(key="studio-pane").set_value(name).run())


def said(page: AppTest) -> str:
    shown = [*page.text, *page.caption, *page.info, *page.markdown, *page.toast]
    return "\n".join(str(element.value) for element in shown)


def save(page: AppTest, *, note: str = "", author: str = "") -> AppTest:
    page.text_input(key=f"studio-note-{studio(page).generation}").set_value(note)
    page.text_input(key="studio-author").set_value(author)
    return checked(page.button(key="studio-save").click().run())


def test_an_empty_library_says_what_to_do_first() -> None:
    page = opened()
    assert "No rubric is saved yet. Begin with one of these" in said(page)
    assert [one.label for one in page.button if str(one.key).startswith("new-template")] == [
        one.name for one in templates()
    ]


def test_a_template_is_opened_saved_and_found_in_the_library(lab: Lab) -> None:
    page = opened()
    checked(page.button(key="new-template-2").click().run())
    template = templates()[2]
    assert studio(page).draft.rubric() == template.rubric
    assert "new, not saved" in said(page)
    save(page, note="to start with", author="Ada")
    assert "version 1" in said(page)
    version = lab.library.history(template.name).current
    assert (version.number, version.note, version.author, version.rubric) == (
        1,
        "to start with",
        "Ada",
        template.rubric,
    )


def test_an_edit_survives_a_refresh_and_is_said_to_be_unsaved(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    page = opened()
    assert studio(page).draft.name == "Support"
    key = f"studio-guidance-{studio(page).generation}"
    checked(page.text_area(key=key).set_value("Be kind.").run())
    assert "with unsaved changes" in said(page)
    again = opened(draft=studio(page).draft_id)
    assert studio(again).draft.guidance == "Be kind."
    assert "with unsaved changes" in said(again)


def test_the_second_of_two_editors_is_told_and_loses_nothing(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    first, second = opened(), opened()
    for page, words in ((first, "Be kind."), (second, "Be brief.")):
        checked(page.text_area(key=f"studio-guidance-{studio(page).generation}").set_value(words).run())
    save(first, author="Ada")
    save(second, author="Grace")
    newer = studio(second).newer
    assert newer is not None
    assert (newer.number, newer.author, newer.rubric.guidance) == (2, "Ada", "Be kind.")
    assert studio(second).draft.guidance == "Be brief."
    assert [one.number for one in lab.library.history("Support").versions] == [2, 1]
    checked(second.button(key="conflict-mine").click().run())
    versions = lab.library.history("Support").versions
    assert [(one.number, one.rubric.guidance) for one in versions] == [
        (3, "Be brief."),
        (2, "Be kind."),
        (1, "Be exact."),
    ]
    assert studio(second).newer is None


def in_conflict(lab: Lab) -> AppTest:
    """A page that met somebody else's version 2 ("Be kind.") when it saved its own text ("Be brief.")."""
    lab.library.save(RUBRIC, "Support")
    page = opened()
    checked(page.text_area(key=f"studio-guidance-{studio(page).generation}").set_value("Be brief.").run())
    lab.library.save(Rubric(guidance="Be kind."), "Support", base=1)
    return save(page, note="shorter")


def test_a_conflict_ends_in_a_rubric_of_ones_own(lab: Lab) -> None:
    page = checked(in_conflict(lab).button(key="conflict-fork").click().run())
    fork = lab.library.history("Support (fork)").current
    assert (fork.number, fork.rubric.guidance, fork.note, fork.origin) == (1, "Be brief.", "shorter", ("Support", 1))
    assert lab.library.history("Support").current.rubric.guidance == "Be kind."
    assert (studio(page).draft.name, studio(page).newer) == ("Support (fork)", None)


def test_a_conflict_ends_in_theirs_and_the_way_back_to_mine_is_offered(lab: Lab) -> None:
    page = in_conflict(lab)
    mine = studio(page).draft_id
    checked(page.button(key="conflict-theirs").click().run())
    assert studio(page).draft.guidance == "Be kind."
    assert "Your unsaved changes to 'Support' are kept." in said(page)
    checked(page.button(key="studio-back").click().run())
    assert (studio(page).draft_id, studio(page).draft.guidance) == (mine, "Be brief.")
    assert "are kept" not in said(page)


def test_unsaved_changes_are_offered_back_after_another_rubric_is_opened(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    page = opened()
    checked(page.button(key="new-template-0").click().run())
    assert "are kept" not in said(page), "nothing was changed in what was left"
    checked(page.text_area(key=f"studio-guidance-{studio(page).generation}").set_value("Mine.").run())
    checked(page.button(key="library-open-0").click().run())
    assert studio(page).draft.name == "Support"
    checked(page.button(key="studio-back").click().run())
    assert (studio(page).draft.name, studio(page).draft.guidance) == (templates()[0].name, "Mine.")


def test_a_name_that_is_taken_is_asked_about_and_nothing_overwritten(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    lab.library.save(Rubric(guidance="Be kind."), "Sales")
    page = opened(rubric="Support")
    checked(page.text_input(key=f"studio-name-{studio(page).generation}").set_value("Sales").run())
    assert "the name is taken" in said(page)
    save(page)
    newer = studio(page).newer
    assert newer is not None
    assert (newer.name, newer.rubric.guidance) == ("Sales", "Be kind.")
    assert [one.number for one in lab.library.history("Sales").versions] == [1]


def test_a_rubric_without_a_name_gets_one_as_it_is_saved(lab: Lab) -> None:
    page = opened()
    checked(page.text_area(key=f"studio-guidance-{studio(page).generation}").set_value("Be exact.").run())
    save(page)
    assert "A rubric needs a name" in said(page)
    page.text_input(key=f"studio-save-name-{studio(page).generation}").set_value("Support")
    save(page)
    assert lab.library.history("Support").current.rubric.guidance == "Be exact."


def test_an_old_version_is_restored_and_forked(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    lab.library.save(Rubric(guidance="Be kind."), "Support")
    page = opened()
    page.session_state["history-chosen"] = ("Support", 2, 1)
    pane(page, "history")
    checked(page.button(key="history-restore").click().run())
    history = lab.library.history("Support")
    assert (history.head, len(history.versions)) == (1, 2)
    checked(page.button(key="history-fork").click().run())
    assert (studio(page).draft.name, studio(page).draft.origin) == ("Support (fork)", ("Support", 1))


def test_the_difference_shown_first_is_what_the_chosen_version_changed(lab: Lab) -> None:
    for guidance in ("One.", "Two.", "Three."):
        lab.library.save(Rubric(guidance=guidance), "Support")
    page = pane(opened(), "history")

    def compared() -> list[object]:
        return [one.value for one in page.selectbox if str(one.key).startswith("history-")]

    assert compared() == [2, 3]
    page.session_state["history-chosen"] = ("Support", 3, 2)
    checked(page.run())
    assert compared() == [1, 2]
    pane(page, "write")
    checked(page.text_area(key=f"studio-guidance-{studio(page).generation}").set_value("Four.").run())
    page.session_state["history-chosen"] = ("Support", 3, 3)
    pane(page, "history")
    assert compared() == [3, None], "the current version against what stands in the editor"


def test_a_rubric_is_archived_and_put_back(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    page = opened()
    checked(page.button(key="library-archive-0").click().run())
    assert lab.library.names() == []
    checked(page.toggle(key="library-archived").set_value(True).run())
    checked(page.button(key="library-back-0").click().run())
    assert [one.name for one in lab.library.names()] == ["Support"]


def generated() -> AppTest:
    page = pane(opened(), "generate")
    assert "no LLM" in said(page)
    checked(page.button(key="generation-ask").click().run())
    for _ in range(100):
        if studio(page).draft.proposals:
            break
        checked(page.run())
    return page


def test_offline_generation_is_reviewed_item_by_item() -> None:
    page = generated()
    proposals = studio(page).draft.proposals
    assert len(proposals) >= 3
    assert all(one.kept is None for one in proposals)
    first, second = (f"decide-{one.id}-{studio(page).generation}" for one in proposals[:2])
    checked(page.button_group(key=first).set_value("keep").run())
    checked(page.button_group(key=second).set_value("drop").run())
    checked(page.toggle(key=f"edit-{proposals[0].id}-{studio(page).generation}").set_value(True).run())
    statement = page.text_area(key=f"statement-{proposals[0].id}-{studio(page).generation}")
    checked(statement.set_value("The reply states that refunds end after 30 days.").run())
    checked(page.button(key="review-done").click().run())
    assert [row.description for row in studio(page).draft.criteria] == [
        "The reply states that refunds end after 30 days."
    ]
    assert studio(page).draft.proposals == []


def test_pasted_healthbench_is_understood_and_opened() -> None:
    page = pane(opened(), "files")
    pasted = (
        '{"prompt": "Dose?", "rubric": [{"criterion": "Names the dose.", "points": 5, "tags": []}, '
        '{"criterion": "Invents a drug.", "points": -8, "tags": []}]}'
    )
    checked(page.text_area(key="files-pasted").set_value(pasted).run())
    checked(page.button(key="files-open").click().run())
    rubric = studio(page).draft.rubric()
    assert [(one.description, one.weight, one.meets_when) for one in rubric.criteria] == [
        ("Names the dose.", 5.0, True),
        ("Invents a drug.", -8.0, False),
    ]
    assert rubric.scoring.explicit_scale == "points"


def test_what_is_no_rubric_is_refused_in_words() -> None:
    page = pane(opened(), "files")
    checked(page.text_area(key="files-pasted").set_value('{"a": [').run())
    assert "pasted" in said(page)
    assert not any(button.key == "files-open" for button in page.button)


def test_the_prompt_is_the_one_that_a_judge_gets(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    page = pane(opened(), "prompt")
    assert "1 call for each response" in said(page)
    checked(page.button_group(key="studio-prompt-method").set_value("ruler").run())
    assert "1 call for the group" in said(page)


def test_evidence_waits_for_a_run(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    assert "No run was scored under a saved version" in said(pane(opened(), "evidence"))


def test_the_rubric_is_taken_to_the_score_page(lab: Lab) -> None:
    draft = RubricDraft(name="Support", criteria=[CriterionDraft(id="a", description="The reply states the deadline.")])
    lab.rubric_drafts.save("brought", draft)
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.query_params["rubric_draft"] = "brought"
    checked(page.run())
    desk = page.session_state["desk"]
    assert desk.draft.rubric_name == "Support"
    assert [row.description for row in desk.draft.criteria] == ["The reply states the deadline."]
    assert desk.draft.system_prompt == examples()[0].group.scenario.system_prompt


def test_the_score_pages_rubric_is_opened_here(lab: Lab) -> None:
    lab.library.save(RUBRIC, "Support")
    lab.library.save(Rubric(guidance="Be kind."), "Support")
    page = checked(AppTest.from_file(str(APP), default_timeout=60).run())
    page.session_state["desk"].change(rubric_name="Support")
    page.session_state["desk"].generation += 1
    checked(page.run())
    checked(page.button_group(key="inputs-pane").set_value("rubric").run())
    checked(page.button(key="rubric-studio").click().run())
    draft = studio(page).draft
    assert (draft.name, draft.base, draft.origin) == ("Support", 2, ("Support", 2))
    assert draft.guidance == examples()[0].rubric.guidance
    assert draft.rubric() == examples()[0].rubric


def test_a_step_that_changed_much_is_taken_back(lab: Lab) -> None:
    page = generated()
    proposals = studio(page).draft.proposals
    checked(page.button(key="review-discard").click().run())
    assert studio(page).draft.proposals == []
    checked(page.button(key="studio-undo").click().run())
    assert studio(page).draft.proposals == proposals
    checked(page.button(key="review-keep-all").click().run())
    checked(page.button(key="review-done").click().run())
    assert len(studio(page).draft.criteria) == len(proposals)
    checked(page.button(key="studio-undo").click().run())
    assert (studio(page).draft.criteria, len(studio(page).draft.proposals)) == ([], len(proposals))
    assert not any(button.key == "studio-undo" for button in page.button)


def test_the_reference_stays_hidden_once_it_was(lab: Lab) -> None:
    page = pane(opened(), "generate")
    (shown,) = (box for box in page.checkbox if box.label == "Show the reference answer")
    checked(shown.uncheck().run())
    page = pane(pane(page, "history"), "generate")
    assert [box.value for box in page.checkbox if box.label == "Show the reference answer"] == [False]


def test_a_reload_keeps_what_the_score_page_holds(lab: Lab) -> None:
    draft = Draft(name="Mine", judges=[JudgeDraft(model="openai/m", api_base="http://127.0.0.1:1/v1")])
    lab.drafts.save("mine", draft)
    page = opened(score="mine")
    desk = page.session_state["desk"]
    assert (desk.draft, desk.draft_id) == (draft, "mine")
    assert studio(page).judge == draft.judges[0]


def test_an_empty_criterion_silences_no_finding_on_the_others() -> None:
    draft = RubricDraft(
        criteria=[
            CriterionDraft(id="a", title="Only a title"),
            CriterionDraft(id="b", description="The reply invents a phone number.", category="Pitfall"),
        ]
    )
    assert set(lint_lines(draft, findings_on(draft, reference=None))) == {"b"}
