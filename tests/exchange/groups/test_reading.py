"""Files become rows, whatever their format and encoding; a broken line is named and the rest is read."""

from __future__ import annotations

import codecs
import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.chat import Json
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups import read_sheet
from reward_lab.exchange.groups.sheet import Row

OK = '{"prompt": "p", "response": "r"}'
ROW = {"prompt": "p", "response": "r"}


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "rows"),
    [
        (f"{OK}\n\n{OK}\n".encode(), "x.jsonl", [(1, ROW), (3, ROW)]),
        (f"{OK}\r\n{OK}".encode(), "", [(1, ROW), (2, ROW)]),
        (codecs.BOM_UTF8 + OK.encode(), "x.jsonl", [(1, ROW)]),
        (OK.encode("utf-16"), "x.jsonl", [(1, ROW)]),
        (OK.encode("utf-16-be"), "x.txt", [(1, ROW)]),
        (OK.encode("utf-32"), "x.jsonl", [(1, ROW)]),
        (f"[\n{OK},\n\n{OK}\n]".encode(), "x.json", [(2, ROW), (4, ROW)]),
        (json.dumps({"version": 1, "data": [ROW, ROW]}, indent=1).encode(), "x.json", [(1, ROW), (2, ROW)]),
        (json.dumps(ROW, indent=1).encode(), "", [(1, ROW)]),
        (b"prompt,response\r\np,r\r\n\r\np,r\r\n", "x.csv", [(2, ROW), (4, ROW)]),
        (b"prompt;response\np;r\n", "x.csv", [(2, ROW)]),
        (b"prompt,response\rp,r", "old.csv", [(2, ROW)]),
        (b"prompt\tresponse\np\tr\n", "", [(2, ROW)]),
        ("prompt\tresponse\r\np\tr\r\n".encode("utf-16"), "unicode text.txt", [(2, ROW)]),
        (b'prompt,response\n"p",r\n', "{.csv", [(2, ROW)]),
        (OK.encode(), "mistaken.csv", [(1, ROW)]),
        (b"[prompt],response\n1,2\n", "x.csv", [(2, {"[prompt]": "1", "response": "2"})]),
        (_parquet([ROW, ROW]), "x", [(1, ROW), (2, ROW)]),
    ],
)
def test_each_format_is_known_by_its_content(data: bytes, name: str, rows: list[Row]) -> None:
    sheet = read_sheet(data, name)
    assert (list(sheet.rows), sheet.bad, sheet.kind) == (rows, (), "table")


def test_cells_of_a_table_stay_as_they_were_typed() -> None:
    data = b'id,when,text,blank\n007,2024-01-02,"a ""b"",\nc\xe2\x80\xa8d",\n1e5,NaN, x ,\n'
    sheet = read_sheet(data, "x.csv")
    assert sheet.columns == ("id", "when", "text", "blank")
    assert list(sheet.rows) == [
        (2, {"id": "007", "when": "2024-01-02", "text": 'a "b",\nc\u2028d'}),
        (4, {"id": "1e5", "when": "NaN", "text": " x "}),
    ]
    assert sheet.examples == {
        "id": ("007", "1e5"),
        "when": ("2024-01-02", "NaN"),
        "text": ('a "b",\nc\u2028d', " x "),
        "blank": (),
    }


def test_a_cell_may_be_longer_than_the_csv_module_allows_by_itself() -> None:
    (row,) = read_sheet(f"prompt,response\np,{'x' * 200_000}\n".encode(), "x.csv").rows
    assert len(row[1]["response"]) == 200_000


def test_parquet_types_become_those_of_json_and_nan_is_unknown() -> None:
    first = {
        "text": "007",
        "score": float("nan"),
        "inf": float("inf"),
        "when": datetime(2024, 1, 2, 3, 4, tzinfo=UTC),
        "money": Decimal("1.50"),
        "image": b"\xff\xd8",
        "messages": [{"role": "user", "content": "hi", "name": None}],
    }
    second = {**first, "score": 0.5, "messages": [{"role": "user", "content": "hi", "name": "ann"}]}
    (_, row), (_, other) = read_sheet(_parquet([first, second]), "x.parquet").rows
    assert row == {
        "text": "007",
        "score": None,
        "inf": "inf",
        "when": "2024-01-02T03:04:00+00:00",
        "money": "1.50",
        "image": "<2 bytes>",
        "messages": [{"role": "user", "content": "hi"}],
    }
    assert (other["score"], other["messages"][0]["name"]) == (0.5, "ann")


@pytest.mark.parametrize(
    ("data", "name", "numbers", "bad"),
    [
        (
            f"{OK}\n{{broken\n{OK}".encode(),
            "x.jsonl",
            [1, 3],
            [(2, "not JSON: Expecting property name enclosed in double quotes at character 2")],
        ),
        (
            f"{{broken\n{OK}".encode(),
            "",
            [2],
            [(1, "not JSON: Expecting property name enclosed in double quotes at character 2")],
        ),
        (
            f"{OK}\n".encode() + b'{"prompt": "\xe9"}\n' + OK.encode(),
            "x.jsonl",
            [1, 3],
            [(2, "not UTF-8: the byte 0xE9")],
        ),
        (f'{OK}\n{{"score": NaN}}'.encode(), "x.jsonl", [1], [(2, "not JSON: NaN is not a JSON number; write null")]),
        (
            f"{OK}\n[1]".encode(),
            "x.jsonl",
            [1],
            [(2, 'expected an object such as {"prompt": "...", "response": "..."}, got [1]')],
        ),
        (f"{OK}\n{'[' * 5000}".encode(), "x.jsonl", [1], [(2, "not JSON: nested more than 200 levels deep")]),
        (
            f'{OK}\n{{"a": {"[" * 300}{"]" * 300}}}'.encode(),
            "x.jsonl",
            [1],
            [(2, "not JSON: nested more than 200 levels deep")],
        ),
        (
            f'[{OK},\n{{"score": NaN}},\n{OK},\n{{"a": 1 "b"}},\n{OK}]'.encode(),
            "x.json",
            [1, 3],
            [
                (2, "not JSON: NaN is not a JSON number; write null"),
                (
                    4,
                    "not JSON: Expecting ',' delimiter at line 4, character 9; what follows it in the file is not read",
                ),
            ],
        ),
        (
            f"[{OK},\n{OK}".encode(),
            "x.json",
            [1, 2],
            [(2, "a comma or ] is missing here; what follows it in the file is not read")],
        ),
        (f"[{OK}]\n{OK}".encode(), "x.json", [1], [(2, "this stands after the end of the list, and is not read")]),
        (
            b'a,b\n1,2\n1,2,3\n1\n"x,2\n3,4\n5,"6"7\n8,9',
            "x.csv",
            [2, 6, 8],
            [
                (
                    3,
                    (
                        "it has 3 cells where the head names 2 columns: put cells with commas, quotes or line breaks "
                        "in quotes"
                    ),
                ),
                (
                    4,
                    (
                        "it has 1 cell where the head names 2 columns: put cells with commas, quotes or line breaks in "
                        "quotes"
                    ),
                ),
                (5, "',' expected after '\"'"),
                (7, "',' expected after '\"'"),
            ],
        ),
        (b'a,b\n1,2\n"x,2\n3,4\n', "x.csv", [2, 4], [(3, "a quote is opened and never closed")]),
        (
            b"a,b\n1,caf\xe9\n3,4\n",
            "x.csv",
            [3],
            [(2, 'not UTF-8: the byte 0xE9; save the file as UTF-8 (in Excel "CSV UTF-8")')],
        ),
    ],
)
def test_a_broken_line_is_named_and_the_rest_is_read(
    data: bytes, name: str, numbers: list[int], bad: list[tuple[int, str]]
) -> None:
    sheet = read_sheet(data, name)
    assert [number for number, _ in sheet.rows] == numbers
    assert [(line.number, line.why) for line in sheet.bad] == bad


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "x.jsonl", "x.jsonl is empty. Choose a file with at least one group or row."),
        (b" \n", "", "The pasted text is empty. Choose a file with at least one group or row."),
        (
            b"PK\x03\x04...",
            "x.xlsx",
            (
                "x.xlsx is an Excel or zip file, which is not read here. Save the sheet as CSV (UTF-8), or unpack the "
                "file, and choose that."
            ),
        ),
        (b"\x1f\x8b\x08", "x.gz", "x.gz is packed with gzip, which is not read here. Unpack it, and choose that."),
        (b"ab\0\0cd", "x.bin", "x.bin is not a text file. Choose JSONL, JSON, CSV, TSV or parquet."),
        (
            OK.encode("utf-16")[:-1],
            "x.jsonl",
            "x.jsonl begins as UTF-16 and breaks off at byte 65. Save it as UTF-8.",
        ),
        (
            b"Dear all,\n",
            "",
            (
                "The pasted text is neither JSONL, JSON, CSV, TSV nor parquet; it begins 'Dear all,'. Choose a file in "
                "one of these."
            ),
        ),
        (
            b'{\n "a": 1,\n "b" 2\n}',
            "x.json",
            "x.json is not JSON: Expecting ':' delimiter at line 3, character 6. Mend it, or choose another file.",
        ),
        (
            b'{"a": 1',
            "x.jsonl",
            (
                "x.jsonl: no line of it can be read. Line 1: not JSON: Expecting ',' delimiter at character 8. Mend "
                "it, or choose another file."
            ),
        ),
        (b"a,b\n", "x.csv", "x.csv names columns and holds no row. Choose a file with at least one row."),
        (b"a,b,a\n1,2,3\n", "x.csv", "x.csv: two columns are named 'a'. Give each a name of its own."),
        (
            b'"a,b\n1,2',
            "x.csv",
            "x.csv: the head in line 1 cannot be read: a quote is opened and never closed. Mend it.",
        ),
        (
            b"caf\xe9,b\n1,2\n",
            "x.csv",
            'x.csv: the head is not UTF-8 (the byte 0xE9): save the file as UTF-8 (in Excel "CSV UTF-8").',
        ),
        (
            _parquet([ROW])[:-20],
            "x.parquet",
            (
                "x.parquet is not a readable parquet file: Parquet magic bytes not found in footer. Either the file is "
                "corrupted or this is not a parquet file. Write or download it again."
            ),
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_with_the_next_step(data: bytes, name: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_sheet(data, name)
    assert str(caught.value) == message


def test_a_flood_of_columns_is_refused() -> None:
    data = json.dumps({str(number): 1 for number in range(1001)}).encode()
    with pytest.raises(InvalidInput, match="more than 1,000,000 rows or 1,000 columns"):
        read_sheet(data, "x.jsonl")


def test_lines_of_our_own_format_are_known_by_their_trajectories() -> None:
    own = '{"trajectories": [{"text": "a"}]}'
    assert read_sheet(f"{own}\n{own}\n{OK}".encode(), "x.jsonl").kind == "groups"
    assert read_sheet(f"{own}\n{OK}".encode(), "x.jsonl").kind == "table"


_CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(st.lists(st.lists(_CELLS, min_size=2, max_size=2), min_size=1))
def test_every_csv_that_is_written_is_read_back(rows: list[list[str]]) -> None:
    import csv

    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *rows])
    expected: list[Json] = [{key: cell for key, cell in zip("ab", row, strict=True) if cell} for row in rows]
    expected = [row for row in expected if row]
    if not expected:
        return
    sheet = read_sheet(out.getvalue().encode(), "x.csv")
    assert ([row for _, row in sheet.rows], sheet.bad) == (expected, ())
