"""From the click on Score until the matrix shows its numbers, in Chromium, when every reply is in the cache.

    python -m tests.benchmarks.cached_score

A draft of 8 responses under the six methods that ask a judge is scored once by a judge on loopback, which fills the
cache. Then the app opens it, each time in a tab of its own, and Score is clicked. The time runs in the page: from the
press of the button to the frame after every cell of every method holds a number. The first click of a server is told
apart, since it also pays for what the server imports then.
"""

from __future__ import annotations

import argparse

from playwright.sync_api import Browser

from reward_lab.core.group import Group
from reward_lab.core.run import NewRun
from reward_lab.services.drafts import Draft, JudgeDraft
from reward_lab.settings import read_settings
from reward_lab.wiring import open_lab
from tests.benchmarks.rig import (
    GROUP_SIZE,
    JUDGED,
    MODEL,
    RUBRIC,
    VIEWPORT,
    Figure,
    chromium,
    group_records,
    judge_server,
    own_process,
    print_table,
    scratch_home,
    served,
)

_DRAFT = "benchmark"

# The grid draws into a shadow root of its own, which a selector does not enter.
_WATCH = """({rows, methods}) => {
    let pressedAtMs = null;
    addEventListener('pointerdown', event => { pressedAtMs = performance.now(); }, {capture: true});
    const grids = root => [...root.querySelectorAll('*')].flatMap(
        node => node.shadowRoot ? [...node.shadowRoot.querySelectorAll('table'), ...grids(node.shadowRoot)] : []);
    const scored = () => {
        const matrix = grids(document).find(table => table.ariaLabel?.startsWith('Scores'));
        const lines = matrix ? [...matrix.querySelectorAll('tbody tr')] : [];
        return lines.length === rows && lines.every(line =>
            [...line.cells].slice(1, 1 + methods).every(cell => /[0-9]/.test(cell.innerText)));
    };
    const look = () => pressedAtMs !== null && scored()
        ? requestAnimationFrame(() => { window.answeredInMs = performance.now() - pressedAtMs; })
        : requestAnimationFrame(look);
    requestAnimationFrame(look);
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=3, help="fresh servers")
    parser.add_argument("--clicks", type=int, default=5, help="for each server")
    options = parser.parse_args()

    first: list[float] = []
    later: list[float] = []
    with scratch_home(16) as home, judge_server(0) as base_url, chromium() as browser:
        with own_process() as process:
            process.submit(fill, base_url).result()
        for _ in range(options.servers):
            with served(["-m", "reward_lab", "--port", "{port}"], log=home / "app.log") as app:
                first.append(_answer_s(browser, app.url))
                for _ in range(options.clicks - 1):
                    app.wait_until_idle()
                    later.append(_answer_s(browser, app.url))
        with own_process() as process:
            process.submit(check, options.servers * options.clicks).result()

    print(f"{GROUP_SIZE} responses, {len(JUDGED)} methods, all from the cache. Seconds, median (quartiles).\n")
    rows = [["first click of a fresh server", Figure.of(first).shown(2), "< 1"]]
    if later:
        rows.append(["later clicks", Figure.of(later).shown(2), "< 1"])
    print_table(["", "from the click to the numbers", "target"], rows)


def fill(base_url: str) -> None:
    """Save the draft that is opened, and score it once."""
    (record,) = group_records(1, first=0)
    draft = Draft.of(Group.from_record(record), RUBRIC, name="Benchmark")
    judges = [JudgeDraft(model=MODEL, api_base=base_url)]
    draft = draft.model_copy(update={"judges": judges, "methods": list(JUDGED)})
    lab = open_lab(read_settings(), trust_all_endpoints=False)
    lab.drafts.save(_DRAFT, draft)
    run_id, future = lab.scoring.start(NewRun((draft.group(),), draft.rubric(), draft.ensemble(), draft.settings()))
    future.result()
    progress = lab.scoring.run(run_id).progress
    lab.close()
    if progress.done != progress.total:
        raise AssertionError(f"the cache could not be filled: {dict(progress.counts)}")


def check(clicks: int) -> None:
    """Raise ``AssertionError`` unless there is a run for every click, and none of them asked the judge."""
    lab = open_lab(read_settings(), trust_all_endpoints=False)
    made = [run.usage.calls for run in lab.scoring.runs(limit=clicks + 1).rows]
    lab.close()
    if made[:-1] != [0] * clicks:
        raise AssertionError(f"calls made by the last {clicks} runs, newest first: {made[:-1]}")


def _answer_s(browser: Browser, url: str) -> float:
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.add_init_script(f"({_WATCH})({{rows: {GROUP_SIZE}, methods: {len(JUDGED)}}})")
        page.goto(f"{url}?draft={_DRAFT}")
        button = page.get_by_test_id("stBaseButton-primary")
        button.wait_for(timeout=60_000)
        page.wait_for_timeout(500)  # the page comes to rest, as it has when a person gets to the button
        button.click()
        page.wait_for_function("window.answeredInMs", timeout=60_000)
        return float(page.evaluate("window.answeredInMs")) / 1000


if __name__ == "__main__":
    main()
