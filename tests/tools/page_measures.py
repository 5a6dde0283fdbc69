# SPDX-License-Identifier: Apache-2.0
"""JavaScript expressions with which the tests measure a page in a browser."""

# Returns the smallest contrast between the page and its texts, and between the page and the lines of its figures.
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

# Returns the tables that are cut off at the edge of the page, whether the page is wider than its window, the number of
# boxes with tables that scroll, and the number of scrolling boxes without a shaded edge.
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
