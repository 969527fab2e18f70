"""Compare, Runs, Groups and Calibrate over two runs of 2,000 groups x 8 x 6 methods: 192,000 verdicts in SQLite.

    python -m tests.benchmarks.compare

A script fills the tables (:mod:`tests.benchmarks.comparable_runs`); nothing is asked. Each round starts the server anew
and opens the page with a baseline alone. Timed in Chromium, each until the browser shows it: the first comparison, from
the choice of the second run until the sentence (with its interval) and the open group's table, for which one method is
read; the load of the whole page by its address in a new tab; then another order, by figures of every method, the step
to the next group, and a filter; then the links to Runs and to Groups are followed. A run, and the runs against the
labels of one annotator on every tenth group, are loaded by their addresses in tabs of their own, and read for the first
time. The memory is the server's peak.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.benchmarks.comparable_runs import fill
from tests.benchmarks.rig import (
    GROUP_SIZE,
    JUDGED,
    VIEWPORT,
    Figure,
    Served,
    chromium,
    print_table,
    scratch_home,
    served,
)

_APP = ["-m", "reward_lab", "--port", "{port}"]
_PATIENCE_MS = 60_000
_TARGETS = {
    "first opening": "≤ 2",
    "page load, figures known": "≤ 2",
    "order": "≤ 1",
    "filter": "≤ 1",
    "next group": "≤ 1",
    "to Runs": "≤ 1",
    "to Groups": "≤ 1",
    "page load of a run": "",
    "page load of Calibrate": "",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3, help="fresh servers")
    options = parser.parse_args()

    seconds: dict[str, list[float]] = {name: [] for name in _TARGETS}
    peaks: list[float] = []
    with scratch_home(16) as home, chromium() as browser:
        old, new = fill(home, options.groups)
        for _ in range(options.rounds):
            with served(_APP, log=home / "app.log") as app:
                _measure(browser, app, f"{app.url}compare?runs={old},{new}", options.groups, seconds)
                peaks.append(_peak_mb(app))

    print(f"{2 * options.groups * GROUP_SIZE * len(JUDGED):,} verdicts, {options.rounds} servers; median (range).\n")
    rows = [[name, Figure.of(values).shown(2), _TARGETS[name]] for name, values in seconds.items()]
    print_table(["", "seconds", "target"], rows)
    print()
    print_table(["", "MB", "target"], [["server's peak memory", Figure.of(peaks).shown(0), "≤ 700"]])


def _measure(browser: Browser, app: Served, url: str, groups: int, seconds: dict[str, list[float]]) -> None:
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        page.goto(url.rpartition(",")[0])
        page.get_by_role("combobox", name=re.compile("Compared with")).click()
        page.keyboard.press("ArrowDown")
        app.wait_until_idle()
        seconds["first opening"].append(_opened_s(page, lambda: page.keyboard.press("Enter")))
        app.wait_until_idle()
        for name, path, grid in (
            ("a run", "runs?run=1", "Groups of the run"),
            ("Calibrate", "calibrate?pane=judges&runs=1,2", "Judges against labels"),
        ):
            seconds[f"page load of {name}"].append(_loaded_s(context, f"{app.url}{path}", grid))
            app.wait_until_idle()
        page = context.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        seconds["page load, figures known"].append(_opened_s(page, lambda: page.goto(url, wait_until="commit")))
        app.wait_until_idle()

        def reorder() -> None:
            page.get_by_role("combobox", name="Order by").click()
            page.get_by_role("option", name="disagreement between methods").click()

        def filtered() -> None:
            search = page.get_by_role("textbox", name="Search")
            open_now = int(_open_group(page).inner_text().partition("-")[2])
            search.fill(f"Case {(open_now + 1) % groups}:")
            search.press("Enter")

        for name, act in (("order", reorder), ("next group", lambda: page.keyboard.press("j")), ("filter", filtered)):
            seconds[name].append(_changed_s(page, act))
            app.wait_until_idle()
            page.locator("h3").first.click()
        for name, grid in (("Runs", "Stored runs"), ("Groups", "Groups of the dataset")):
            started = time.perf_counter()
            page.get_by_test_id("stSidebarNavLink").filter(has_text=name).click()
            page.get_by_role("grid", name=grid).wait_for()
            seconds[f"to {name}"].append(time.perf_counter() - started)
            app.wait_until_idle()


def _opened_s(page: Page, act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    page.get_by_text(re.compile("^The mean .* reward ")).wait_for()
    page.get_by_role("grid", name="Scores of each response by run").wait_for()
    return time.perf_counter() - started


def _loaded_s(context: BrowserContext, url: str, grid: str) -> float:
    page = context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    started = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.get_by_role("grid", name=grid).wait_for()
    spent = time.perf_counter() - started
    page.close()
    return spent


def _changed_s(page: Page, act: Callable[[], None]) -> float:
    """From the act until the open group is another one, and the list with it."""
    chosen = _open_group(page)
    expect(chosen).to_be_visible(timeout=_PATIENCE_MS)
    before = chosen.inner_text()
    act()
    started = time.perf_counter()
    expect(chosen).not_to_have_text(before, timeout=_PATIENCE_MS)
    after = chosen.inner_text()
    expect(page.get_by_text(after, exact=True).last).to_be_visible(timeout=_PATIENCE_MS)
    return time.perf_counter() - started


def _open_group(page: Page) -> Locator:
    return page.get_by_role("grid", name="Groups by what changed").locator("tr[data-selected] .title")


def _peak_mb(app: Served) -> float:
    status = Path(f"/proc/{app.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    if found is None:
        raise AssertionError("the system does not tell the peak of a process")
    return int(found[1]) / 1024


if __name__ == "__main__":
    main()
