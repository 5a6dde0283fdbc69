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

usage: report_in_browser.py REPORT.html [PICTURES]
PICTURES: folder for light.png and dark.png of any report. Only the widths of that report are checked.
Exits with 0 on success, 1 with one line per fault, 77 without a browser.
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # leave no cache in the source tree
import browser as browsers

FAULTS = []

CONTRAST = """(() => {
  const part = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const page = light(getComputedStyle(document.body).backgroundColor);
  const ratio = (colour) => {
    const other = light(colour);
    return (Math.max(page, other) + 0.05) / (Math.min(page, other) + 0.05);
  };
  const of = (selector) => [...document.querySelectorAll(selector)]
    .map((one) => ratio(getComputedStyle(one).color));
  const drawn = [...document.querySelectorAll('.plot .line')]
    .map((one) => ratio(getComputedStyle(one).stroke));
  return {text: Math.min(...of('body, td, th, .notes, .unit, dt, a, summary, figcaption span')),
          drawn: Math.min(...drawn)};
})()"""

COLUMN = """(() => {
  const head = [...document.querySelectorAll('#table-efficiency th[aria-sort].n')]
    .find((one) => one.textContent.startsWith('step'));
  return [...head.closest('table').tBodies[0].rows].map((row) => Number(row.cells[head.cellIndex].dataset.v));
})()"""

WIDTHS = """(() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  const edge = document.documentElement.clientWidth + 1;
  const beyond = (one) => one.getBoundingClientRect().right > edge;
  const scrolls = (one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX);
  const boxOf = (one) => {
    for (let box = one.parentElement; box; box = box.parentElement) if (scrolls(box)) return box;
    return null;
  };
  const tables = [...document.querySelectorAll('table')];
  const boxes = [...new Set(tables.map(boxOf))].filter((box) => box && box.scrollWidth > box.clientWidth);
  return {cut: tables.filter((one) => beyond(one) && (!boxOf(one) || beyond(boxOf(one))))
                 .map((one) => one.closest('[id]').id),
          page: document.documentElement.scrollWidth > edge,
          scrolling: boxes.length,
          unmarked: boxes.filter((box) => getComputedStyle(box).backgroundImage === 'none').length};
})()"""

HEAD = """[...document.querySelectorAll('#table-efficiency th[aria-sort].n')]
  .find((one) => one.textContent.startsWith('step')).querySelector('button')"""


def check(truth, fault):
    if not truth:
        FAULTS.append(fault)


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


def resize(page, width, height):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def look_at_widths(page, url):
    for width in (1600, 1200, 480):
        resize(page, width, 900)
        page.open(url)
        found = page.evaluate(WIDTHS)
        check(not found["cut"], f"{width} pixels: tables are cut off at the page's edge: {found['cut']}")
        check(not found["page"], f"{width} pixels: the page is wider than its window")
        check(found["unmarked"] == 0, f"{width} pixels: {found['unmarked']} tables do not show that they go on")
    check(found["scrolling"] > 0, "on a narrow page no table scrolls")
    page.call("Emulation.clearDeviceMetricsOverride")


def take_pictures(page, url, folder):
    resize(page, 1200, 1163)  # the size of the screenshots in docs/figures
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        page.open(url)
        page.picture(folder / f"{scheme}.png")


def look_at_themes(page, url):
    colours = {}
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        page.open(url)
        colours[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        contrast = page.evaluate(CONTRAST)
        check(contrast["text"] >= 4.5, f"{scheme}: text has a contrast of {contrast['text']:.2f}")
        check(contrast["drawn"] >= 3, f"{scheme}: lines have a contrast of {contrast['drawn']:.2f}")
    check(colours["light"] != colours["dark"], f"both themes are {colours['light']}")
    page.evaluate("document.getElementById('theme').click()")  # the system still prefers dark
    switched = page.evaluate("getComputedStyle(document.body).backgroundColor")
    check(switched == colours["light"], f"the switch gives {switched}")
    page.open(url)
    kept = page.evaluate("getComputedStyle(document.body).backgroundColor")
    check(kept == colours["light"], "the theme is not remembered")


def look_at_texts(page):
    check(page.evaluate("document.title") != "taken", "a script of an axis value was run")
    check(page.evaluate("document.scripts.length") == 1, "an axis value became a script")
    check(page.evaluate("document.querySelectorAll('td b, th b, li b').length") == 0, "a value became markup")
    text = page.evaluate("document.body.textContent")
    for value in ("<script>document.title = 'taken'</script>", "\"quoted\" 'single' & <b>bold</b>",
                  "größe 模型 🚀", "control \ufffd\ufffd[31m end"):
        check(value in text, f"not shown as it is: {value}")
    foreign = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    check(not foreign, f"the page loads {foreign}")


def look_at_all(page, url):
    page.prefer("light")
    page.open(url)
    look_at_figures(page)
    look_at_sorting(page)
    look_at_texts(page)
    check(not page.complaints(), f"the console says {page.complaints()}")
    look_at_widths(page, url)
    look_at_themes(page, url)
    check(not page.complaints(), f"the console says {page.complaints()}")


def main():
    program = browsers.find_browser()
    if not program:
        print("SKIPPED: chromium is not installed (tools/setup --lint brings it)")
        return 77
    url = pathlib.Path(sys.argv[1]).resolve().as_uri()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    page = browsers.Browser(program)
    try:
        if pictures:
            look_at_widths(page, url)
            take_pictures(page, url, pictures)
        else:
            look_at_all(page, url)
    finally:
        page.close()
    for fault in FAULTS:
        print(f"{sys.argv[1]}: {fault}")
    return 1 if FAULTS else 0


sys.exit(main())
