// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/html_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "analysis/report/figures/svg_figure.hpp"
#include "analysis/report/html_text.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {

const char* const kPageStyle = R"css(
:root {
  color-scheme: light;
  --page: #ffffff; --ink: #1b1f24; --quiet: #4d5661; --rule: #d5dae0; --soft: #f3f5f8;
  --link: #0b5cad; --warn: #7a3b00; --warn-page: #fff4e5;
  --c0: #0072b2; --c1: #c24e00; --c2: #00805d; --c3: #a8508a;
  --c4: #a86b00; --c5: #2b83b8; --c6: #666666; --c7: #8a7f00; --hatch: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    color-scheme: dark;
    --page: #14171b; --ink: #e8ebef; --quiet: #aeb6c0; --rule: #3a414a; --soft: #1e2329;
    --link: #7cb8f5; --warn: #ffc98a; --warn-page: #33240f;
    --c0: #4fb0e8; --c1: #ff8a47; --c2: #2cc79a; --c3: #e59cc4;
    --c4: #f0b840; --c5: #8fd0f5; --c6: #b0b0b0; --c7: #f0e442; --hatch: #14171b;
  }
}
:root[data-theme="dark"] {
  color-scheme: dark;
  --page: #14171b; --ink: #e8ebef; --quiet: #aeb6c0; --rule: #3a414a; --soft: #1e2329;
  --link: #7cb8f5; --warn: #ffc98a; --warn-page: #33240f;
  --c0: #4fb0e8; --c1: #ff8a47; --c2: #2cc79a; --c3: #e59cc4;
  --c4: #f0b840; --c5: #8fd0f5; --c6: #b0b0b0; --c7: #f0e442; --hatch: #14171b;
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 72rem; padding: 1rem 1.25rem 4rem;
  background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
}
header { display: flex; gap: 1rem; align-items: start; justify-content: space-between; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; border-bottom: 1px solid var(--rule); }
a { color: var(--link); }
nav ul {
  display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; padding: 0;
  margin: 0.25rem 0;
}
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
#theme {
  border: 1px solid var(--rule); border-radius: 0.4rem; padding: 0.3rem 0.7rem;
  background: var(--soft); white-space: nowrap;
}
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
.warnings {
  background: var(--warn-page); color: var(--warn); border-left: 4px solid var(--warn);
  padding: 0.5rem 1rem; margin: 1rem 0;
}
.warnings h2 { margin: 0.25rem 0; border: 0; }
.warnings ul { margin: 0.25rem 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
/* Shade the edge of a box whose content continues beyond it: many screens hide scroll bars. */
.scroll, .plot {
  overflow-x: auto;
  background:
    linear-gradient(90deg, var(--page) 1rem, transparent) 0 0 / 2rem 100% no-repeat local,
    linear-gradient(270deg, var(--page) 1rem, transparent) 100% 0 / 2rem 100% no-repeat local,
    linear-gradient(90deg, var(--rule), transparent) 0 0 / 1rem 100% no-repeat scroll,
    linear-gradient(270deg, var(--rule), transparent) 100% 0 / 1rem 100% no-repeat scroll;
}
table {
  border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem;
  margin: 0.25rem 0;
}
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td {
  padding: 0.3rem 0.45rem; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: baseline; unicode-bidi: isolate;
}
thead th {
  border-top: 2px solid var(--ink); border-bottom: 1px solid var(--ink); vertical-align: bottom;
}
tbody tr:last-child > * { border-bottom: 2px solid var(--ink); }
tbody th { font-weight: 400; }
.n { text-align: right; }
tbody .n { white-space: nowrap; }
.unit { color: var(--quiet); font-weight: 400; white-space: nowrap; }
th button { font-weight: 600; text-align: inherit; }
th button::after { content: "\2195"; color: var(--quiet); padding-left: 0.3em; }
th[aria-sort="ascending"] button::after { content: "\2191"; color: var(--ink); }
th[aria-sort="descending"] button::after { content: "\2193"; color: var(--ink); }
.notes {
  color: var(--quiet); font-size: 0.85rem; margin: 0.25rem 0 1.5rem; padding-left: 1.25rem;
  overflow-wrap: anywhere;
}
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr));
  gap: 1.5rem;
}
figure {
  margin: 0; min-width: 0; border: 1px solid var(--rule); border-radius: 0.4rem;
  padding: 0.75rem 1rem;
}
figcaption { font-weight: 600; }
figcaption span { display: block; font-weight: 400; color: var(--quiet); font-size: 0.85rem; }
.plot svg { display: block; width: 100%; height: auto; }
.plot svg.wide { width: auto; }
svg text { fill: var(--ink); font: 15px system-ui, sans-serif; }
svg .name { fill: var(--quiet); }
.grid { stroke: var(--rule); fill: none; }
.axis { stroke: var(--quiet); fill: none; }
.ideal { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; }
.line { stroke: var(--c); stroke-width: 2; fill: none; }
.dashed { stroke-dasharray: 3 3; }
.bar { stroke: var(--c); stroke-width: 1.2; fill: none; }
.band { fill: var(--c); fill-opacity: 0.18; }
.mark { fill: var(--c); stroke: var(--c); }
.hollow { fill: var(--page); stroke-width: 1.6; }
.part { fill: var(--c); }
.hatch { stroke: var(--hatch); stroke-width: 1.6; fill: none; }
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); }
.c4 { --c: var(--c4); } .c5 { --c: var(--c5); } .c6 { --c: var(--c6); } .c7 { --c: var(--c7); }
.legend {
  list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; padding: 0;
  margin: 0.25rem 0; font-size: 0.85rem;
}
.legend li { overflow-wrap: anywhere; }
.legend svg { vertical-align: middle; margin-right: 0.4rem; }
.legend-title { margin: 0.25rem 0 0; color: var(--quiet); font-size: 0.85rem; }
details { font-size: 0.85rem; margin-top: 0.5rem; }
summary { cursor: pointer; color: var(--link); }
footer { margin-top: 3rem; color: var(--quiet); font-size: 0.85rem; }
@media print {
  :root, :root[data-theme="dark"] {
    color-scheme: light;
    --page: #ffffff; --ink: #000000; --quiet: #333333; --rule: #bbbbbb; --soft: #ffffff;
    --warn: #000000; --warn-page: #ffffff;
    --c0: #0072b2; --c1: #c24e00; --c2: #00805d; --c3: #a8508a;
    --c4: #a86b00; --c5: #2b83b8; --c6: #666666; --c7: #8a7f00; --hatch: #ffffff;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, #theme, .skip, details, th button::after { display: none; }
  figure, tr { break-inside: avoid; }
  .scroll, .plot { overflow: visible; background: none; }
}
)css";

const char* const kPageScript = R"js(
'use strict';
(() => {
  const root = document.documentElement;
  const key = 'dlscale-theme';
  const remembered = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const remember = (theme) => {
    try { localStorage.setItem(key, theme); } catch { /* the choice lasts for this page only */ }
  };
  const system = matchMedia('(prefers-color-scheme: dark)');
  const theme = () => root.dataset.theme || (system.matches ? 'dark' : 'light');
  const chosen = remembered();
  if (chosen === 'dark' || chosen === 'light') root.dataset.theme = chosen;

  const value = (row, column) => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const compare = (a, b, numeric) => numeric
    ? Number(a) - Number(b)
    : a.localeCompare(b, undefined, {numeric: true});
  const sort = (head, column) => {
    const table = head.closest('table');
    const body = table.tBodies[0];
    const falling = head.getAttribute('aria-sort') === 'ascending';
    const numeric = head.classList.contains('n');
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort(([a], [b]) => {
      if (a === '' || b === '') return (a === '') - (b === '');
      return falling ? compare(b, a, numeric) : compare(a, b, numeric);
    });
    body.append(...rows.map(([, row]) => row));
    for (const other of table.tHead.rows[0].cells) other.setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
  };

  document.addEventListener('DOMContentLoaded', () => {
    const button = document.getElementById('theme');
    const label = () => { button.textContent = theme() === 'dark' ? 'Light theme' : 'Dark theme'; };
    button.addEventListener('click', () => {
      root.dataset.theme = theme() === 'dark' ? 'light' : 'dark';
      remember(root.dataset.theme);
      label();
    });
    system.addEventListener('change', label);
    button.hidden = false;
    label();
    for (const head of document.querySelectorAll('th[aria-sort]')) {
      head.querySelector('button').addEventListener('click', () => sort(head, head.cellIndex));
    }
  });
})();
)js";

namespace {

/// Largest number of points of a figure for which the page lists the numbers below the figure. The
/// figure's CSV file always lists all points.
constexpr std::size_t kMostListed = 400;

/// Returns the base64 encoding (RFC 4648) of bytes that are given as hexadecimal digits.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const char c : hex) {
    bits = bits << 4U | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    count += 4;
    if (count < 6) continue;
    count -= 6;
    text += kDigits[bits >> static_cast<unsigned>(count) & 63U];
  }
  if (count > 0) text += kDigits[bits << static_cast<unsigned>(6 - count) & 63U];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string head(const StudyPage& page) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}: scaling study</title>\n<style>{}</style>\n<script>{}</script>\n</head>\n",
      base64_of_hex(contract::sha256_hex(kPageScript)), html_text(page.title), kPageStyle,
      kPageScript);
}

std::string list(const std::vector<std::string>& items) {
  std::string text = "<ul>\n";
  for (const std::string& item : items) text += "<li>" + html_text(item) + "</li>\n";
  return text + "</ul>\n";
}

std::string warnings(const StudyPage& page) {
  if (page.warnings.empty()) return "";
  return "<section class=\"warnings\" aria-labelledby=\"warnings\">\n"
         "<h2 id=\"warnings\">Warnings</h2>\n" +
         list(page.warnings) + "</section>\n";
}

std::string facts(const StudyPage& page) {
  std::string text = "<section aria-labelledby=\"study\">\n<h2 id=\"study\">Study</h2>\n<dl>\n";
  for (const auto& [name, value] : page.facts) {
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(name), html_text(value));
  }
  return text + "</dl>\n</section>\n";
}

std::string contents(const StudyPage& page) {
  std::string text = "<nav aria-label=\"Contents\">\n<ul>\n";
  for (const Table& table : page.report.tables) {
    text += fmt::format("<li><a href=\"#table-{0}\">Table: {0}</a></li>\n", html_text(table.id));
  }
  for (const NamedFigure& figure : page.figures) {
    text += fmt::format("<li><a href=\"#figure-{0}\">Figure: {0}</a></li>\n", html_text(figure.id));
  }
  return text + "</ul>\n</nav>\n";
}

/// Returns the value by which the page's script sorts a cell: the unrounded number, or the low end
/// of bounds. Returns an empty text for a cell without a number.
std::string sort_value(const Cell& cell) {
  double value = std::nan("");
  if (const auto* number = std::get_if<double>(&cell)) value = *number;
  if (const auto* bounds = std::get_if<Bounds>(&cell)) value = bounds->low;
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::string column_head(const Table& table, std::size_t i) {
  const Column& column = table.columns[i];
  const std::string unit = column.unit.empty() ? ""
                                               : fmt::format(" <span class=\"unit\">({})</span>",
                                                             html_text(column.unit));
  return fmt::format(
      "<th scope=\"col\" aria-sort=\"none\"{}><button type=\"button\">{}{}</button></th>",
      is_numeric(table, i) ? " class=\"n\"" : "", html_text(column.title), unit);
}

void add_table_row(std::string& text, const Table& table, const std::vector<Cell>& cells,
                   const std::vector<bool>& numeric) {
  text += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += i == 0 ? "<th scope=\"row\"" : "<td";
    if (numeric[i]) {
      text += " class=\"n\" data-v=\"";
      text += sort_value(cells[i]);
      text += '"';
    }
    text += '>';
    text += html_text(shown(cells[i], table.columns[i], "–"));
    text += i == 0 ? "</th>" : "</td>";
  }
  text += "</tr>\n";
}

void add_table_section(std::string& text, const Table& table) {
  const std::string id = html_text(table.id);
  text += fmt::format(
      "<section id=\"table-{0}\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-labelledby=\"caption-{0}\">\n<table>\n<caption id=\"caption-{0}\">{1}</caption>\n"
      "<thead><tr>",
      id, html_text(table.title));
  std::vector<bool> numeric;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += column_head(table, i);
    numeric.push_back(is_numeric(table, i));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& cells : table.rows) add_table_row(text, table, cells, numeric);
  text += "</tbody>\n</table>\n</div>\n";
  if (!table.notes.empty()) {
    text += "<ul class=\"notes\">\n";
    for (const std::string& note : table.notes) text += "<li>" + html_text(note) + "</li>\n";
    text += "</ul>\n";
  }
  text += "</section>\n";
}

std::size_t html_points_of(const Figure& figure) {
  std::size_t count = 0;
  for (const Series& series : figure.series) count += series.points.size();
  return count;
}

/// Returns an HTML table with the numbers that a figure shows, for readers who cannot see the
/// figure. Returns an empty text for a figure with more than kMostListed points.
std::string listed(const Figure& figure) {
  if (html_points_of(figure) > kMostListed) return "";
  const bool stacked = !figure.categories.empty();
  std::string text = fmt::format(
      "<details><summary>Numbers</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Numbers of {0}\">\n<table>\n<thead><tr><th scope=\"col\">series</th>"
      "<th scope=\"col\">{1}</th><th scope=\"col\" class=\"n\">{2}</th></tr></thead>\n<tbody>\n",
      html_text(figure.title), html_text(stacked ? figure.x.id : figure.x.title),
      html_text(figure.y.title));
  for (const Series& series : figure.series) {
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const FigurePoint& point = series.points[i];
      std::string value = std::isfinite(point.y) ? plain_number(point.y) : "–";
      if (point.bounds) {
        value += fmt::format(" [{}, {}]", plain_number(point.bounds->low),
                             plain_number(point.bounds->high));
      }
      const std::string x =
          stacked ? figure.categories[i] : x_text(figure.x, point.x, &plain_number);
      text += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td></tr>\n",
                          html_text(series.label), html_text(x), value);
    }
  }
  return text + "</tbody>\n</table>\n</div>\n</details>\n";
}

std::string figure_element(const NamedFigure& named) {
  const std::string id = "figure-" + html_text(named.id);
  const Figure& figure = named.figure;
  return fmt::format("<figure id=\"{}\">\n<figcaption>{}<span>{}</span></figcaption>\n", id,
                     html_text(figure.title), html_text(figure.subtitle)) +
         svg_legend(figure, id) +
         "<div class=\"plot\" tabindex=\"0\" role=\"region\" aria-label=\"" +
         html_text(figure.title) + "\">\n" + svg_figure(figure, id) + "</div>\n" + listed(figure) +
         "</figure>\n";
}

}  // namespace

std::string html_page(const StudyPage& page) {
  std::string text = head(page);
  text += "<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header>\n<h1>" +
          html_text(page.title) +
          "</h1>\n<button type=\"button\" id=\"theme\" hidden>Dark theme</button>\n</header>\n"
          "<main id=\"main\">\n";
  text += warnings(page) + facts(page) + contents(page);
  if (!page.report.tables.empty()) text += "<h2>Tables</h2>\n";
  for (const Table& table : page.report.tables) add_table_section(text, table);
  if (!page.figures.empty()) text += "<h2>Figures</h2>\n<div class=\"figures\">\n";
  for (const NamedFigure& figure : page.figures) text += figure_element(figure);
  if (!page.figures.empty()) text += "</div>\n";
  text +=
      "</main>\n<footer>Generated by dlscale from the records of the runs. Every number is in the "
      "CSV files next to this page.</footer>\n</body>\n</html>\n";
  return text;
}

}  // namespace dlscale::analysis
