#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a report in headless Chromium and checks the page.

The checks are:
- The figures are drawn.
- Tables sort by mouse and by keyboard.
- The two themes differ, and the page remembers the chosen theme.
- The console is empty.
- No text became markup.
- A table that is wider than the page scrolls within its own box.
- The first screen contains the answer on the number of GPUs, the traffic lights and two figures.
- In legends, no text overlaps a symbol or another text, and the legends of the first screen count the entries they hide.
- Tables can be filtered, curves can be hidden, and figures show values next to the pointer.
- A link to a table unfolds the table, and printing unfolds all tables.

usage: report_in_browser.py REPORT.html [--first-screen | --all-answers]
--first-screen: only check the first screen.
--all-answers: only check the first screen, and that it contains all answers.
Exits with 0 on success, 1 with one line per fault, 77 without a browser.
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # leave no cache in the source tree
from browser import check, check_console, check_names, check_themes, check_width, run_checks

COLUMN = """(() => {
  const head = [...document.querySelectorAll('#table-efficiency th[aria-sort].n')]
    .find((one) => one.textContent.startsWith('step'));
  return [...head.closest('table').tBodies[0].rows].map((row) => Number(row.cells[head.cellIndex].dataset.v));
})()"""

HEAD = """[...document.querySelectorAll('#table-efficiency th[aria-sort].n')]
  .find((one) => one.textContent.startsWith('step')).querySelector('button')"""


def look_at_figures(page):
    sizes = page.evaluate("""[...document.querySelectorAll('figure .plot svg')].map((svg) => {
      const box = svg.getBoundingClientRect();
      return [box.width, box.height, svg.querySelectorAll('path.line, path.mark, rect').length]; })""")
    check(len(sizes) >= 10, f"only {len(sizes)} figures")
    check(all(width > 200 and height > 100 for width, height, _ in sizes), f"figures without size: {sizes}")
    check(all(drawn > 0 for _, _, drawn in sizes), f"figures in which nothing is drawn: {sizes}")
    unnamed = page.evaluate("""[...document.querySelectorAll('svg[role=img]')].filter((svg) =>
      !svg.getAttribute('aria-labelledby').split(' ').every((id) =>
        document.getElementById(id)?.textContent.length > 5)).length""")
    check(unnamed == 0, f"{unnamed} figures without a text")


def look_at_sorting(page):
    page.evaluate("document.querySelector('#table-efficiency details').open = true")
    before = page.evaluate(COLUMN)
    page.evaluate(HEAD + ".click()")
    rising = page.evaluate(COLUMN)
    check(rising == sorted(before), "a click does not sort a column")
    check(rising != before, "the rows had been sorted before")
    page.evaluate(HEAD + ".focus()")
    page.press("Enter", 13, "\r")
    check(page.evaluate(COLUMN) == rising[::-1], "the Enter key does not turn the order round")
    state = page.evaluate(HEAD + ".parentElement.getAttribute('aria-sort')")
    check(state == "descending", f"aria-sort is {state}")


def look_at_widths(page, url):
    for width in (1600, 1200, 480, 390):
        found = check_width(page, url, width, 900)
        check(found["unmarked"] == 0, f"{width} pixels: {found['unmarked']} tables do not show that they go on")
    check(found["scrolling"] > 0, "on a narrow page no table scrolls")
    page.call("Emulation.clearDeviceMetricsOverride")


def look_at_themes(page, url):
    colours = check_themes(page, url)
    page.evaluate("document.getElementById('theme').click()")  # the system still prefers dark
    switched = page.evaluate("getComputedStyle(document.body).backgroundColor")
    check(switched == colours["light"], f"the switch gives {switched}")
    page.open(url)
    kept = page.evaluate("getComputedStyle(document.body).backgroundColor")
    check(kept == colours["light"], "the theme is not remembered")


def look_at_texts(page):
    check_names(page)
    check(page.evaluate("document.scripts.length") == 1, "an axis value became a script")
    text = page.evaluate("document.body.textContent")
    for value in ("<script>document.title = 'taken'</script>", "\"quoted\" 'single' & <b>bold</b>",
                  "größe 模型 🚀", "control \ufffd\ufffd[31m end"):
        check(value in text, f"not shown as it is: {value}")


FIRST = """(() => {
  const low = (one) => one ? one.getBoundingClientRect().bottom : Infinity;
  return {figures: [...document.querySelectorAll('.first figure')].map(low),
          answer: low(document.querySelector('.answers dd')),
          lights: low(document.querySelector('.lights')),
          all: low(document.querySelector('.answers')),
          named: document.querySelectorAll('.first .legend-title').length,
          unnamed: [...document.querySelectorAll('.first .legend-title')]
              .filter((one) => one.getClientRects().length === 0).length,
          wide: document.documentElement.scrollWidth > document.documentElement.clientWidth};
})()"""


# Returns the figures whose legend has a text that overlaps a symbol or another text, or that leaves the figure, and the
# legends of the first screen that hide entries without stating their number.
LEGENDS = """(() => {
  const boxes = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].filter((box) => box.width > 1);
  };
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                         Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6;
  const faulty = (legend) => {
    const figure = legend.closest('figure').getBoundingClientRect();
    const symbols = [...legend.querySelectorAll('svg')].map((one) => one.getBoundingClientRect())
      .filter((box) => box.width > 1);
    const texts = [...legend.querySelectorAll('.legend-title, li')].map((one) =>
      [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE || node.localName === 'button')
        .flatMap(boxes));
    return texts.some((own, i) => own.some((box) =>
      box.right > figure.right || symbols.some((symbol) => meet(box, symbol)) ||
      texts.slice(i + 1).flat().some((other) => meet(box, other))));
  };
  const silent = (legend) => {
    const hidden = [...legend.querySelectorAll('li:not(.more)')].filter((one) => one.hidden).length;
    const more = legend.querySelector('.more');
    const beyond = legend.scrollHeight > legend.clientHeight + 1;
    return beyond || (hidden ? more.hidden || more.textContent !== `and ${hidden} more` : !more.hidden);
  };
  const ids = (legends) => legends.map((one) => one.closest('figure').id);
  return {all: document.querySelectorAll('.legend-box').length,
          faulty: ids([...document.querySelectorAll('.legend-box')].filter(faulty)),
          silent: ids([...document.querySelectorAll('.first .legend-box')].filter(silent)),
          short: [...document.querySelectorAll('.first .more')].filter((one) => !one.hidden).length};
})()"""


def look_at_legends(page, place):
    found = page.evaluate(LEGENDS)
    check(found["all"] > 0, f"{place}: there are no legends")
    check(not found["faulty"], f"{place}: texts overlap in the legends of {found['faulty']}")
    check(not found["silent"], f"{place}: the legends of {found['silent']} hide entries without their number")
    if found["short"]:
        left = page.evaluate("""(() => {
          const button = document.querySelector('.first .more:not([hidden]) button');
          button.click();
          const hidden = button.closest('.legend').querySelectorAll('li[hidden]').length;
          button.click();
          return hidden;
        })()""")
        check(left == 0, f"{place}: the button of a legend leaves {left} entries hidden")
    return found["short"]


def look_at_first_screen(page, url, all_answers=False):
    page.resize(1280, 800)
    page.open(url)
    found = page.evaluate(FIRST)
    check(len(found["figures"]) == 2, f"the first screen has {len(found['figures'])} figures")
    check(max(found["figures"], default=9999) <= 800, f"figures end below the first screen: {found['figures']}")
    check(found["answer"] <= 800, f"the answer ends at {found['answer']}")
    check(found["lights"] <= 800, f"the traffic lights end at {found['lights']}")
    check(found["named"] > 0, "the legends of the first screen have no names of axes")
    check(found["unnamed"] == 0, f"{found['unnamed']} legends of the first screen hide the names of their axes")
    check(not found["wide"], "the first screen scrolls sideways")
    if all_answers:
        check(found["all"] <= 800, f"the answers end at {found['all']}")
    else:
        check(look_at_legends(page, "1280 pixels") > 0, "no legend of the first screen is shortened")
    for scheme in ("dark", "light"):
        page.prefer(scheme)
        look_at_legends(page, f"1280 pixels, {scheme}")
    page.resize(390, 844)
    page.open(url)
    found = page.evaluate(FIRST)
    check(found["answer"] <= 844, f"on a phone the answer ends at {found['answer']}")
    check(not found["wide"], "on a phone the page scrolls sideways")
    look_at_legends(page, "phone")
    page.call("Emulation.clearDeviceMetricsOverride")


def look_at_folds(page, url):
    page.open(url)
    count = "document.querySelectorAll('details.table[open]').length"
    check(page.evaluate(count) == 0, "tables are not folded")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    check(page.evaluate("document.querySelectorAll('details.table:not([open])').length") == 0,
          "printing leaves tables folded")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    check(page.evaluate(count) == 0, "printing unfolds tables for good")
    unfolded = """new Promise((done) => {
      addEventListener('hashchange', () => setTimeout(() => {
        done(document.querySelector('#table-efficiency details').open);
      }));
      location.hash = 'table-efficiency';
    })"""
    check(page.evaluate(unfolded), "a link leaves its table folded")


def look_at_filter(page):
    rows = "[...document.querySelectorAll('#table-efficiency tbody tr')].filter((row) => !row.hidden)"
    write = """(() => {
      const input = document.querySelector('#table-efficiency .filter input');
      input.value = WORDS;
      input.dispatchEvent(new Event('input'));
      return document.querySelector('#table-efficiency output').textContent;
    })()"""
    everything = page.evaluate(rows + ".length")
    said = page.evaluate(write.replace("WORDS", "'HOROVOD plain'"))
    shown = page.evaluate(rows + ".length")
    check(0 < shown < everything, f"the filter shows {shown} of {everything} rows")
    check(said == f"{shown} of {everything} rows", f"the filter says {said}")
    check(page.evaluate(rows + ".every((row) => row.textContent.includes('horovod'))"), "the filter shows other rows")
    page.evaluate(write.replace("WORDS", "''"))
    check(page.evaluate(rows + ".length") == everything, "an empty filter hides rows")


def look_at_curves(page):
    hidden = """(() => {
      const figure = document.querySelector('#figure-efficiency');
      const entry = figure.querySelector('.legend li');
      entry.click();
      const groups = [...figure.querySelectorAll('.plot svg > g')];
      const off = groups.filter((one) => getComputedStyle(one).display === 'none').length;
      return [off, entry.getAttribute('aria-pressed')];
    })()"""
    check(page.evaluate(hidden) == [1, "false"], "a click on the legend does not hide its curve")
    check(page.evaluate(hidden) == [0, "true"], "a second click does not show the curve again")
    at = page.evaluate("""(() => {
      const mark = document.querySelector('#figure-efficiency .plot .mark');
      mark.scrollIntoView({block: 'center'});
      const box = mark.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    })()""")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=at[0] + 5, y=at[1] + 3)
    tip = page.evaluate("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    check("ranks 1: 1" in tip or "GPUs 1: 1" in tip, f"the pointer at a mark shows {tip!r}")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    check(page.evaluate("document.getElementById('tip').hidden"), "the value stays when the pointer leaves the figure")


def look_at_all(page, url):
    page.prefer("light")
    page.open(url)
    look_at_figures(page)
    look_at_sorting(page)
    look_at_filter(page)
    look_at_texts(page)
    look_at_curves(page)
    check_console(page)
    look_at_folds(page, url)
    look_at_first_screen(page, url)
    look_at_widths(page, url)
    look_at_themes(page, url)
    check_console(page)


def look_at(page):
    url = pathlib.Path(sys.argv[1]).resolve().as_uri()
    if len(sys.argv) > 2:
        look_at_first_screen(page, url, all_answers="--all-answers" in sys.argv)
    else:
        look_at_all(page, url)


sys.exit(run_checks(sys.argv[1], look_at))
