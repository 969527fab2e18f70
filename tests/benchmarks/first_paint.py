"""The app's first page in Chromium, beside a bare Streamlit page with as many widgets.

    python -m tests.benchmarks.first_paint

Each round starts both servers anew, the app's with an empty home, and loads each page several times, in turn and
without a browser cache. A page counts as painted in the frame after the last of its widgets is in the document, with
the Score button among them; the time is the page's own, from the start of the navigation. The first load of a server
is told apart: it also pays for what the server imports and sets up then. The bare page is written here, with the
widgets that the app's page was seen to have, and is run without any configuration.

At the end the app is started once more with Python's own list of imports (``-X importtime``), which tells whether
anything slow was imported for the first page.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Browser

from tests.benchmarks.rig import VIEWPORT, Figure, chromium, print_table, scratch_home, served

_APP = ["-m", "reward_lab", "--port", "{port}"]
_NOT_YET = ("litellm", "scipy", "alembic")
_AFTER_S = 2.0
"""So long after the first paint an import still counts as made for it."""

# Streamlit's name of a widget in the page -> the call that draws one.
_WIDGETS = {
    "stButton": "st.button('Button {0}', key={0})",
    "stButtonGroup": "st.segmented_control('Control {0}', ['a', 'b', 'c', 'd'], key={0})",
    "stCheckbox": "st.checkbox('Checkbox {0}', key={0})",
    "stDataFrame": "st.data_editor([{{'a': 1}}], key={0})",
    "stFileUploader": "st.file_uploader('File {0}', key={0})",
    "stMultiSelect": "st.multiselect('Several {0}', ['a', 'b'], key={0})",
    "stNumberInput": "st.number_input('Number {0}', key={0})",
    "stPopover": "st.popover('Popover {0}').caption('x')",
    "stRadio": "st.radio('Radio {0}', ['a', 'b'], key={0})",
    "stSelectbox": "st.selectbox('Choice {0}', ['a', 'b'], key={0})",
    "stSlider": "st.slider('Slider {0}', key={0})",
    "stTextArea": "st.text_area('Area {0}', key={0})",
    "stTextInput": "st.text_input('Text {0}', key={0})",
}

_COUNT = """names => Object.fromEntries(names.map(
    name => [name, document.querySelectorAll(`[data-testid="${name}"]`).length]).filter(([, count]) => count))"""

# Runs before the page's own scripts.
_WATCH = """({wanted, primary}) => {
    const there = () => {
        const all = Object.entries(wanted).every(([name, count]) =>
            document.querySelectorAll(`[data-testid="${name}"]`).length >= count);
        return all && (!primary || document.querySelector('[data-testid="stBaseButton-primary"]'));
    };
    const look = () => there()
        ? requestAnimationFrame(() => { window.paintedAtMs = performance.now(); })
        : requestAnimationFrame(look);
    requestAnimationFrame(look);
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="pairs of fresh servers")
    parser.add_argument("--loads", type=int, default=4, help="of each page a round")
    options = parser.parse_args()

    first: dict[str, list[float]] = {"app": [], "bare": []}
    later: dict[str, list[float]] = {"app": [], "bare": []}
    with scratch_home(16) as home, chromium() as browser:
        widgets = _widgets_of_the_app(browser, home)
        bare = home / "bare.py"
        bare.write_text(_bare_page(widgets), encoding="utf-8")
        for _ in range(options.rounds):
            _forget(home)
            with (
                served(_APP, log=home / "app.log") as app,
                served(["-m", "streamlit", "run", str(bare)], log=home / "bare.log") as plain,
            ):
                for load in range(options.loads):
                    seconds = later if load else first
                    seconds["app"].append(_painted_s(browser, app.url, widgets, primary=True))
                    seconds["bare"].append(_painted_s(browser, plain.url, widgets, primary=False))
        _forget(home)
        early = _imported_early(browser, home, widgets)

    shown = ", ".join(f"{count} {name.removeprefix('st')}" for name, count in widgets.items())
    print(f"{options.rounds} rounds of {options.loads} loads; {shown}. Seconds, median (quartiles).\n")
    rows = [_row("first load of a fresh server", first, "≤ 1.4")]
    if options.loads > 1:
        rows.append(_row("later loads", later, "≤ 1.4"))
    print_table(["", "app", "bare page", "app / bare", "target"], rows)
    print(
        f"\nOf {', '.join(_NOT_YET)}, imported by {_AFTER_S:g} s after the first paint: {', '.join(early) or 'none'}."
    )


def _row(name: str, seconds: Mapping[str, list[float]], target: str) -> list[str]:
    ratio = Figure.of([app / bare for app, bare in zip(seconds["app"], seconds["bare"], strict=True)])
    return [name, Figure.of(seconds["app"]).shown(2), Figure.of(seconds["bare"]).shown(2), ratio.shown(2), target]


def _widgets_of_the_app(browser: Browser, home: Path) -> dict[str, int]:
    """How many widgets of each kind the app's first page has, counted once it has come to rest."""
    with served(_APP, log=home / "app.log") as app, browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.goto(app.url)
        page.get_by_test_id("stBaseButton-primary").wait_for(timeout=60_000)
        page.wait_for_timeout(2000)
        counted: dict[str, int] = page.evaluate(_COUNT, list(_WIDGETS))
    return counted


def _bare_page(widgets: Mapping[str, int]) -> str:
    calls = [_WIDGETS[name] for name, count in widgets.items() for _ in range(count)]
    return "\n".join(["import streamlit as st", *(call.format(key) for key, call in enumerate(calls)), ""])


def _painted_s(browser: Browser, url: str, widgets: Mapping[str, int], *, primary: bool) -> float:
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        wanted = {"wanted": dict(widgets), "primary": primary}
        page.add_init_script(f"({_WATCH})({wanted!r})".replace("True", "true").replace("False", "false"))
        page.goto(url, wait_until="commit")
        page.wait_for_function("window.paintedAtMs", timeout=60_000)
        return float(page.evaluate("window.paintedAtMs")) / 1000


def _imported_early(browser: Browser, home: Path, widgets: Mapping[str, int]) -> list[str]:
    log = home / "imports.log"
    with served(["-X", "importtime", *_APP], log=log) as app:
        _painted_s(browser, app.url, widgets, primary=True)
        time.sleep(_AFTER_S)
        imported = set(re.findall(r"^import time:.*\|\s*([\w.]+)$", log.read_text(), re.MULTILINE))
    if "reward_lab.wiring" not in imported:
        raise AssertionError("the list of imports is not the app's")
    return [name for name in _NOT_YET if any(f"{one}.".startswith(f"{name}.") for one in imported)]


def _forget(home: Path) -> None:
    """Leave the app's next server an empty home."""
    for path in home.glob("reward_lab.db*"):
        if path.is_file():
            path.unlink()


if __name__ == "__main__":
    main()
