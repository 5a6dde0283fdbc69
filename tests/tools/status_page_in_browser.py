#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens pages of `dlscale status --page` in headless Chromium and checks them.

The checks are:
- The page shows progress, states, answers, a figure and tables, in this order.
- No text became markup, the page has no script and loads no other files, and the console is empty.
- The two themes differ, and texts are easy to read in both.
- At the width of a phone the page does not scroll sideways.
- The page of a running study loads itself again, and the page of an ended study does not.

usage: status_page_in_browser.py RUNNING.html ENDED.html
Exits with 0 on success, 1 with one line per fault, 77 without a browser.
"""
import pathlib
import sys
import time

sys.dont_write_bytecode = True  # leave no cache in the source tree
from browser import check, check_console, check_names, check_themes, check_width, run_checks

MOST_WAIT_S = 60

PARTS = """(() => {
  const top = (selector) => document.querySelector(selector)?.getBoundingClientRect().top ?? null;
  return [top('h1'), top('progress'), top('.states li'), top('.answers dt'), top('figure svg'),
          top('#table-efficiency tbody tr'), top('#table-runs tbody tr')];
})()"""


def check_content(page):
    tops = page.evaluate(PARTS)
    check(None not in tops, f"parts are missing: {tops}")
    page.resize(390, 844)  # on a narrow page all parts are below each other
    tops = page.evaluate(PARTS)
    check(None in tops or tops == sorted(tops), f"the parts are in another order: {tops}")
    share = page.evaluate("document.querySelector('progress').value")
    check(0 < share < 1, f"the bar shows a share of {share}")
    text = page.evaluate("document.body.innerText")
    for words in ("runs ended.", "planned", "running", "They can change.", "n = 3)"):
        check(words in text, f"the page does not contain {words!r}")


def check_texts(page):
    check_names(page)
    check(page.evaluate("document.scripts.length") == 0, "the page has a script")
    dead = page.evaluate("""[...document.querySelectorAll('a[href^="#"]')].map((one) => one.hash.slice(1))
      .filter((id) => !document.getElementById(id))""")
    check(not dead, f"links have no target: {dead}")


def check_widths(page, url):
    for width in (1200, 390, 320):
        check_width(page, url, width, 844)
    page.call("Emulation.clearDeviceMetricsOverride")


def check_refresh(page, path):
    """Opens a copy that loads itself again after one second, and replaces the copy meanwhile."""
    copy = path.with_name("copy.html")
    text = path.read_text(encoding="utf-8")
    fast = text.replace('http-equiv="refresh" content="30"', 'http-equiv="refresh" content="1"')
    check(fast != text, "the page does not request a reload after 30 s")
    copy.write_text(fast, encoding="utf-8")
    page.open(copy.as_uri())
    copy.write_text(text.replace("<title>", "<title>new: "), encoding="utf-8")
    end = time.monotonic() + MOST_WAIT_S
    title = ""
    while not title.startswith("new: ") and time.monotonic() < end:
        time.sleep(0.2)
        try:
            title = page.evaluate("document.title")
        except RuntimeError:
            continue  # the browser is replacing the page
    check(title.startswith("new: "), "the page does not load itself again")


def check_ended(page, url):
    page.open(url)
    check(page.evaluate("document.querySelector('meta[http-equiv=refresh]')") is None, "an ended study is loaded again")
    text = page.evaluate("document.body.innerText")
    check("All runs have ended." in text and "They can change." not in text, "the page does not state the end")
    check(page.evaluate("document.querySelector('progress').value") == 1, "the bar of an ended study is not full")
    check_texts(page)


def check_pages(page):
    running, ended = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    page.prefer("light")
    page.open(running.as_uri())
    check_content(page)
    check_texts(page)
    check_widths(page, running.as_uri())
    check_themes(page, running.as_uri())
    check_console(page)
    check_refresh(page, running)
    check_ended(page, ended.as_uri())
    check_console(page)


sys.exit(run_checks("status page", check_pages))
