"""A first mapping of a table's columns, by their names and by what stands in them. A person corrects it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reward_lab.core.chat import Json, text_of
from reward_lab.exchange.groups.answers import is_response
from reward_lab.exchange.groups.cells import (
    as_list,
    as_mark,
    as_messages,
    as_number,
    as_rank,
    as_text,
    is_unknown,
    looks_like_messages,
)
from reward_lab.exchange.groups.preferences import is_preference, ranks_by_preference
from reward_lab.exchange.groups.response_columns import ResponseColumn, column_about, response_columns
from reward_lab.exchange.groups.roles import Mapping, Role
from reward_lab.exchange.groups.sheet import Sheet
from reward_lab.exchange.groups.vocabulary import (
    ADDED_TO_PROMPT,
    CONTEXTS,
    DISPREFERRED,
    NAMES,
    PREFERRED,
    RESPONSE_BASES,
    is_of_a_rater,
    spelling,
    words_of,
)

_SAMPLE_ROWS = 50
_TAG = re.compile(r"[a-h]|[0-9]{1,2}")
_ROW_IDS = ("id", "uid", "uuid")
_VERDICTS = frozenset({Role.SCORE, Role.RANK, Role.MARK, Role.PREFERENCE})

_Test = Callable[[Json], bool]


def guess_mapping(sheet: Sheet) -> Mapping:
    """The role that each column seems to have; what tells nothing is metadata. Our own format needs none."""
    return Mapping() if sheet.kind == "groups" else Mapping(_Guess(sheet).roles())


class _Guess:
    """Roles found one after the other; a column that has one is not asked again."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._found: dict[str, Role] = {}
        self._spelled = {column: spelling(column) for column in sheet.columns}
        some = [row for _, row in sheet.rows[:_SAMPLE_ROWS]]
        self._samples = {
            column: [row[column] for row in some if not is_unknown(row.get(column))] for column in sheet.columns
        }

    def roles(self) -> dict[str, Role]:
        """The role of each column."""
        beside = self._responses()
        self._asked()
        self._take(Role.SYSTEM_PROMPT, _is_scalar)
        self._take(Role.TOOLS, _reads(as_list))
        if not self._take(Role.REFERENCE, _is_scalar):
            self._take(Role.REFERENCE, _is_scalar, names=NAMES[Role.RESPONSE])
        if beside:
            self._about_columns(beside)
        else:
            self._about_each(listed=Role.RESPONSES in self._found.values())
        if beside or Role.RESPONSES in self._found.values():
            names = self._names(beside)
            self._take(Role.PREFERENCE, lambda value: _prefers(value, names))
        if _VERDICTS.intersection(self._found.values()) or any(column.rank for column in beside):
            self._take(Role.ANNOTATOR, _is_scalar)
            self._take(Role.COMMENT, _is_scalar)
        self._ids()
        return {column: self._found.get(column, Role.METADATA) for column in self._sheet.columns}

    def _free(self) -> list[str]:
        return [column for column in self._sheet.columns if column not in self._found]

    def _mostly(self, column: str, test: _Test) -> bool:
        """Whether two of three samples pass at least: a slip in a cell is named when it is read."""
        samples = self._samples[column]
        return bool(samples) and 3 * sum(map(test, samples)) >= 2 * len(samples)

    def _take(self, role: Role, test: _Test, names: Sequence[str] = (), ending: str = "") -> str:
        """Give the role to the column of the first name whose samples pass; return it, or ""."""
        for name in names or NAMES[role]:
            for column in self._free():
                if self._spelled[column] == name + ending and self._mostly(column, test):
                    self._found[column] = role
                    return column
        return ""

    def _responses(self) -> tuple[ResponseColumn, ...]:
        """Find what holds the responses; response columns are returned."""
        several = self._chosen_and_rejected() or self._tagged()
        if several:
            self._found |= dict.fromkeys(several, Role.RESPONSE_COLUMN)
            return response_columns(several)
        if not self._take(Role.RESPONSES, _is_list_of_responses):
            names = NAMES[Role.RESPONSE]
            # A column named for one response may hold a list of them.
            if not self._take(Role.RESPONSES, _is_list_of_responses, names):
                self._take(Role.RESPONSE, lambda value: _is_scalar(value) or looks_like_messages(value), names)
        return ()

    def _chosen_and_rejected(self) -> list[str]:
        found = []
        for tags in (PREFERRED, DISPREFERRED):
            for column in self._sheet.columns:
                words = words_of(column)
                rest = "_".join(word for word in words if word not in tags)
                if not tags.isdisjoint(words) and (not rest or rest in RESPONSE_BASES):
                    found.append(column)
                    break
        return found if len(found) == 2 else []

    def _tagged(self) -> list[str]:
        """The columns of the first base that several tags stand at: ``response_a``, ``response_b``."""
        by_base: dict[str, list[str]] = {}
        for column in self._sheet.columns:
            words = words_of(column)
            for rest, tag in ((words[:-1], words[-1:]), (words[1:], words[:1])):
                base = "_".join(rest)
                if base in RESPONSE_BASES and _TAG.fullmatch(tag[0]):
                    by_base.setdefault(base, []).append(column)
        return next((columns for columns in by_base.values() if len(columns) > 1), [])

    def _asked(self) -> None:
        """The prompt, and messages that come before it or stand in its place."""
        prompt = self._take(Role.PROMPT, lambda value: _is_scalar(value) or looks_like_messages(value))
        if prompt and self._mostly(prompt, looks_like_messages):
            self._found[prompt] = Role.MESSAGES
            return
        spoken = [column for column in self._free() if self._mostly(column, looks_like_messages)]
        spoken.sort(key=lambda column: self._spelled[column] not in NAMES[Role.MESSAGES])
        for column in spoken[:1]:
            self._found[column] = Role.IGNORE if prompt and self._repeats(column, prompt) else Role.MESSAGES
        if Role.MESSAGES in self._found.values() and not prompt:
            return
        if prompt:
            self._take(Role.PROMPT, _is_scalar, ADDED_TO_PROMPT.get(self._spelled[prompt], ()) + CONTEXTS)
        else:
            self._take(Role.PROMPT, _is_scalar, CONTEXTS)

    def _repeats(self, messages: str, prompt: str) -> bool:
        """Whether messages hold the prompt itself, and so are a copy of what other columns have."""
        for _, row in self._sheet.rows[:_SAMPLE_ROWS]:
            asked, value = row.get(prompt), row.get(messages)
            if is_unknown(asked) or is_unknown(value):
                continue
            try:
                return as_text(asked) in map(text_of, as_messages(value, messages))
            except ValueError:
                continue
        return False

    def _about_columns(self, beside: Sequence[ResponseColumn]) -> None:
        """Scores, names and the like whose columns are named after one of the response columns."""
        tests = _TESTS | {Role.RESPONSE_ID: _is_scalar, Role.COMMENT: _is_scalar}
        taken: set[tuple[str, Role]] = set()
        for column in self._free():
            about = column_about(beside, column)
            if about is None:
                continue
            rest = "_".join(word for word in words_of(column) if word not in about.tag)
            for role, test in tests.items():
                if rest in NAMES[role] and (about.name, role) not in taken and self._mostly(column, test):
                    self._found[column] = role
                    taken.add((about.name, role))
                    break

    def _about_each(self, *, listed: bool) -> None:
        """Scores, names and the like of the one response; of the list of responses, where they are lists too."""
        for role, test in _TESTS.items():
            if not listed:
                self._take(role, test)
            elif not self._take(role, _each(test), ending="s"):
                self._take(role, _each(test))
        self._raters(_each(_TESTS[Role.SCORE]) if listed else _TESTS[Role.SCORE])

    def _raters(self, test: _Test) -> None:
        """Scores by several people, a column each; by one where another column says who."""
        found = [one for one in self._free() if is_of_a_rater(one) and self._mostly(one, test)]
        if any(self._spelled[column] in NAMES[Role.ANNOTATOR] for column in self._free()):
            found = [] if Role.SCORE in self._found.values() else found[:1]
        self._found |= dict.fromkeys(found, Role.SCORE)

    def _names(self, beside: Sequence[ResponseColumn]) -> dict[str, list[str]]:
        """What a preference may call the response of each column."""
        names = {column.name: [*column.other_names] for column in beside}
        for column in self._sheet.columns:
            about = column_about(beside, column) if self._found.get(column) is Role.LABEL else None
            if about is not None:
                names[about.name] += [column, *map(as_text, self._samples[column])]
        return names

    def _ids(self) -> None:
        row_id = next((column for column in self._free() if self._is_row_id(column)), None)
        if Role.RESPONSE in self._found.values():
            self._take(Role.RESPONSE_ID, _is_scalar)
            if row_id is not None:
                has_one = Role.RESPONSE_ID in self._found.values()
                self._found[row_id] = Role.METADATA if has_one else Role.RESPONSE_ID
        self._take(Role.GROUP_ID, _is_scalar)

    def _is_row_id(self, column: str) -> bool:
        """Whether each row has an id of its own though prompts come again: then it is no group's."""
        if self._spelled[column] not in _ROW_IDS:
            return False
        asked = [one for one, role in self._found.items() if role in (Role.PROMPT, Role.MESSAGES)]
        rows = [row for _, row in self._sheet.rows]
        ids = {as_text(row.get(column)) for row in rows}
        prompts = {tuple(as_text(row.get(one)) for one in asked) for row in rows}
        return len(ids) == len(rows) > len(prompts)


def _is_scalar(value: Json) -> bool:
    return not isinstance(value, list | dict)


def _reads(reader: Callable[[Json], object]) -> _Test:
    """A test whether a cell can be read so."""

    def test(value: Json) -> bool:
        try:
            reader(value)
        except ValueError:
            return False
        return True

    return test


def _each(test: _Test) -> _Test:
    """The test of a list of which all items pass."""

    def tests(value: Json) -> bool:
        return _reads(as_list)(value) and all(one is None or test(one) for one in as_list(value))

    return tests


_TESTS: dict[Role, _Test] = {
    Role.RANK: _reads(as_rank),
    Role.SCORE: _reads(as_number),
    Role.MARK: _reads(as_mark),
    Role.LABEL: _is_scalar,
}
"""What stands in a column of each role; a mark before a label, since both are named "label"."""


def _is_list_of_responses(value: Json) -> bool:
    if looks_like_messages(value) or not _reads(as_list)(value):
        return False
    items = as_list(value)
    return bool(items) and all(map(is_response, items))


def _prefers(value: Json, names: dict[str, list[str]]) -> bool:
    """Whether a cell says which response is best, by one of the ``names`` of each; in a list they are not known yet."""
    if not is_preference(value) or not names:
        return is_preference(value) and not isinstance(value, int)
    return _reads(lambda one: ranks_by_preference(one, names))(value)
