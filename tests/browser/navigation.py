"""The way from page to page."""

from __future__ import annotations

from contextlib import suppress

from playwright.sync_api import Page, expect


def go_to(page: Page, name: str) -> None:
    """Follow a link of the navigation until the page takes it: Streamlit loses a click that meets a rerun."""
    link = page.get_by_test_id("stSidebarNavLink").filter(has_text=name)
    for _ in range(8):
        link.click()
        with suppress(AssertionError):
            expect(link).to_have_attribute("aria-current", "page", timeout=6_000)
            return
    expect(link).to_have_attribute("aria-current", "page")


def settled(page: Page) -> None:
    """Wait until the script has run and has drawn: a click before that may meet a field that is being replaced."""
    page.wait_for_timeout(150)
    expect(page.locator("[data-test-script-state='running'], [data-stale='true']")).to_have_count(0)
