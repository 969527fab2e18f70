"""The command line: parse, call a service, print."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reward_lab import __version__
from reward_lab.core.run import ItemStatus
from reward_lab.errors import InvalidInput, InvalidJudge, RewardLabError

if TYPE_CHECKING:
    from reward_lab.core.chat import Json
    from reward_lab.core.group import Group
    from reward_lab.core.judge import Judge
    from reward_lab.core.run import RunState
    from reward_lab.wiring import Lab

_POLL_S = 0.25
_REASONS_TOLD = 5
_NOTES_TOLD = 20
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PORT = 8501
_WHOLE = 10_000
"""Columns that hold any line: what is piped is never cut."""

app = typer.Typer(
    name="reward-lab",
    help="Design a reward from a prompt, a rubric and a judge before you train on it.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Entry point of ``reward-lab``. Errors of ours are one line on stderr and exit status 2."""
    try:
        app()
    except RewardLabError as error:
        print(f"reward-lab: {error}", file=sys.stderr)
        raise SystemExit(2) from error


def _version(asked: bool) -> None:
    if asked:
        print(__version__)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port of the app.", min=1, max=65535)] = _PORT,
    host: Annotated[str, typer.Option(help="Address the app listens on.")] = "127.0.0.1",
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Start the app in the browser (without a command)."""
    if context.invoked_subcommand is None:
        _serve(host, port)


@app.command()
def score(
    file: Annotated[Path, typer.Argument(help="Groups, one JSON object a line.", exists=True, dir_okay=False)],
    method: Annotated[list[str], typer.Option("--method", help="A method; give it once for each.")],
    out: Annotated[Path, typer.Option("--out", help="Where the scores go, one group a line.", dir_okay=False)],
    judge: Annotated[str, typer.Option("--judge", help="'offline' or a LiteLLM model name.")] = "offline",
    api_base: Annotated[str | None, typer.Option("--api-base", help="Endpoint of the judge.")] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", help="A judge parameter, name=value; the value is read as JSON.")
    ] = None,
    rubric: Annotated[
        Path | None, typer.Option("--rubric", help="A rubric file: our JSON, or prose.", exists=True, dir_okay=False)
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", help="Ask every question so many times.", min=1, max=100)] = 1,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", help="Calls in flight per provider.", min=1, max=1024)
    ] = None,
) -> None:
    """Score a file of groups. What is scored is stored, and opens in the app."""
    from reward_lab.core.chat import canonical_json
    from reward_lab.core.rubric import Rubric
    from reward_lab.core.run import NewRun, RunSettings
    from reward_lab.exchange.groups import BadLine, read_groups
    from reward_lab.exchange.rubrics import read_rubric
    from reward_lab.services.drafts import check_parameters

    if not out.absolute().parent.is_dir():
        raise InvalidInput(f"--out {out}: there is no folder {out.absolute().parent}: make it first.")
    rubric_name, content = read_rubric(rubric) if rubric else ("", Rubric())
    settings = RunSettings(methods=tuple(method), repeats=repeats)
    asked = _judge(judge, api_base, param or [])
    check_parameters(asked.parameters)
    groups: dict[str, Group] = {}
    bad = 0
    for line in read_groups(file):
        if isinstance(line, BadLine):
            bad += 1
            print(f"{file}:{line.number}: skipped: {line.why}", file=sys.stderr)
        elif line.id in groups:
            bad += 1
            same = canonical_json(line.to_record()) == canonical_json(groups[line.id].to_record())
            how = "with the same content" if same else "with different content: give each an id of its own"
            print(f"{file}: skipped: group {line.id!r} stands there twice, {how}", file=sys.stderr)
        else:
            groups[line.id] = line
    if not groups:
        raise InvalidInput(f"{file} holds no group that can be scored; see the lines named above.")
    with _lab(concurrency) as lab:
        new = NewRun(tuple(groups.values()), content, (asked,), settings, name=file.stem, rubric_name=rubric_name)
        run_id, future = lab.scoring.start(new)
        _follow(lab, run_id, future)
        reasons: Counter[str] = Counter()
        details: dict[str, str] = {}
        with out.open("w", encoding="utf-8", newline="\n") as lines:
            for scores in lab.results.records(run_id):
                lines.write(json.dumps(scores, ensure_ascii=True, allow_nan=False) + "\n")
                for one in scores["results"]:
                    if one["reason"]:
                        reason = f"{one['method']}: {one['reason']}"
                        reasons[reason] += 1
                        details.setdefault(reason, one["told_to_judge"] or "")
        for reason, count in reasons.most_common(_REASONS_TOLD):
            print(f"unscored, {count} of them: {reason}", file=sys.stderr)
            if details[reason]:
                print(f"  the judge was told, for one: {details[reason]}", file=sys.stderr)
        _summary(lab, run_id, out)
    if bad:
        raise typer.Exit(1)


@app.command()
def runs(
    search: Annotated[str, typer.Option("--search", help="Words of the name or the rubric.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000)] = 20,
) -> None:
    """List the stored runs, newest first."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from reward_lab.services.scoring import RunFilter

    with _lab(None) as lab:
        page = lab.scoring.runs(RunFilter(search), limit=limit)

    def cut(text: str) -> Text:
        printable = "".join(character if character.isprintable() else " " for character in text)
        return Text(printable, no_wrap=True, overflow="ellipsis")

    # A run keeps to its line. Where a terminal has no room, columns that may wrap are narrowed first: those cut above.
    table = Table(box=None, pad_edge=False)
    for head in ("Run", "Name", "Started (UTC)", "State", "Judge", "Methods", "Done", "Cost"):
        table.add_column(head, no_wrap=head not in ("Name", "Judge", "Methods"))
    for run in page.rows:
        cost = "unknown" if run.usage.cost_usd is None else f"${run.usage.cost_usd:.4f}"
        table.add_row(
            str(run.id),
            cut(run.name),
            f"{run.created_at:%Y-%m-%d %H:%M}",
            run.state.value,
            cut(", ".join(run.models)),
            cut(", ".join(run.methods)),
            f"{run.progress.done}/{run.progress.total}",
            cost,
        )
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WHOLE)
    console.print(table if page.rows else "No runs yet. Score a file, or press Score in the app.")
    if page.total > len(page.rows):
        print(f"{len(page.rows)} of {page.total} runs; see more with --limit.")
    if page.rows:
        print(f"With the app started, run {page.rows[0].id} is at {_address_of(page.rows[0].id)}")


rubric_commands = typer.Typer(help="Rubric files.", no_args_is_help=True)
app.add_typer(rubric_commands, name="rubric")


@rubric_commands.command()
def convert(
    file: Annotated[Path, typer.Argument(metavar="IN", help="A rubric file.", exists=True, dir_okay=False)],
    target: Annotated[str, typer.Option("--to", help="The format to write.")],
    out: Annotated[Path, typer.Option("--out", help="Where it goes; its ending tells JSONL, JSON or parquet.")],
    origin: Annotated[
        str | None, typer.Option("--from", help="The format of IN; without it, what it looks like.")
    ] = None,
) -> None:
    """Convert rubrics from one format into another, and say what was understood and what is lost."""
    from reward_lab.core.wording import counted
    from reward_lab.exchange.rubrics import RUBRIC_FORMATS, read_rubrics, write_rubrics

    if not out.absolute().parent.is_dir():
        raise InvalidInput(f"--out {out}: there is no folder {out.absolute().parent}: make it first.")
    try:
        report = read_rubrics(file.read_bytes(), file.name, format=origin)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror or error}.") from error
    known = RUBRIC_FORMATS[target].suffixes if target in RUBRIC_FORMATS else ()
    written = write_rubrics(report.rubrics, target, suffix=out.suffix if out.suffix in known else None)
    try:
        out.write_bytes(written.data)
    except OSError as error:
        raise InvalidInput(f"--out {out} cannot be written: {error.strerror or error}.") from error
    skipped = [f"skipped: {note}" for note in report.skipped]
    notes = [str(note) for note in report.notes if not note.skipped]
    lost = [f"not kept: {line}" for line in (*report.lost, *written.lost)]
    for lines in (skipped, notes, lost):
        for line in lines[:_NOTES_TOLD]:
            print(line, file=sys.stderr)
        if len(lines) > _NOTES_TOLD:
            print(f"... and {len(lines) - _NOTES_TOLD} more like these", file=sys.stderr)
    print(f"{counted(written.count, 'rubric')} from {report.format} to {target}. Written to {out}.")
    if skipped or written.count < len(report.rubrics):
        raise typer.Exit(1)


@contextmanager
def _lab(concurrency: int | None) -> Iterator[Lab]:
    from reward_lab.settings import read_settings
    from reward_lab.wiring import open_lab

    settings = read_settings()
    if concurrency is not None:
        settings = settings.model_copy(update={"concurrency": concurrency})
    # Whoever types a command owns the environment its keys stand in, so any endpoint named here is trusted.
    lab = open_lab(settings, trust_all_endpoints=True)
    try:
        yield lab
    finally:
        lab.close()


def _judge(model: str, api_base: str | None, parameters: Sequence[str]) -> Judge:
    from pydantic import ValidationError

    from reward_lab.core.judge import Judge

    try:
        return Judge(model=model, api_base=api_base, parameters=dict(map(_parameter, parameters)))
    except ValidationError as error:
        raise InvalidJudge(f"{str(error.errors()[0]['msg']).removeprefix('Value error, ')}.") from error


def _parameter(text: str) -> tuple[str, Json]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise InvalidJudge(f"--param {text!r}: expected name=value, such as temperature=0.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _follow(lab: Lab, run_id: int, finished: Future[RunState | None]) -> None:
    """Show the progress on a terminal until the run is finished; Ctrl-C cancels it, and keeps what is done."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(f"Run {run_id}", total=None)
        try:
            while not finished.done():
                status = lab.scoring.status(run_id)
                bar.update(task, total=status.total, completed=status.done)
                wait((finished,), timeout=_POLL_S)
        except KeyboardInterrupt:
            lab.scoring.cancel(run_id)
            print(f"reward-lab: stopping run {run_id}; what is done is stored, resume it in the app.", file=sys.stderr)
    finished.result()


def _address_of(run_id: int) -> str:
    """Where a run is seen in the app, as it is started without options."""
    return f"http://{_LOOPBACK[0]}:{_PORT}/?run={run_id}"


def _summary(lab: Lab, run_id: int, out: Path) -> None:
    run = lab.scoring.run(run_id)
    usage = run.usage
    cost = "unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    unscored = sum(run.progress.counts.get(status, 0) for status in (ItemStatus.UNSCORED, ItemStatus.PARTLY))
    print(
        f"Run {run_id}: {run.progress.done} of {run.progress.total} items, {unscored} not or only partly scored; "
        f"{usage.calls} calls made, {usage.cached} answered from the cache, cost {cost}. Written to {out}.\n"
        f"With the app started (reward-lab), it is at {_address_of(run_id)}"
    )


def _serve(host: str, port: int) -> None:
    """Run Streamlit on the app's script, of this checkout or of the installed package."""
    from streamlit.web.cli import main as streamlit

    with _lab(None):
        pass  # made or upgraded here, the database keeps no first page waiting, and its faults are told at once
    package = Path(__file__).parent
    script = next(path for path in (package / "site" / "app.py", package.parent / "app.py") if path.is_file())
    command = ["run", str(script), "--server.address", host, "--server.port", str(port)]
    if host not in _LOOPBACK:
        # The names under which the app answers guard against DNS rebinding; the one given here is meant.
        command += [option for name in (*_LOOPBACK, host) for option in ("--server.allowedHosts", name)]
    streamlit(command, prog_name="reward-lab")
