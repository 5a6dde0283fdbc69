// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/html_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "analysis/report/figures/svg_axis.hpp"
#include "analysis/report/figures/svg_figure.hpp"
#include "analysis/report/html_text.hpp"
#include "analysis/report/page/html_assets.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace {

/// More points of a figure are not listed below it; its CSV file has them.
constexpr std::size_t kMostListed = 400;

/// Of bytes written as hexadecimal digits (RFC 4648).
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
         "<h2 id=\"warnings\">Beware</h2>\n" +
         list(page.warnings) + "</section>\n";
}

std::string facts(const StudyPage& page) {
  std::string text =
      "<section aria-labelledby=\"study\">\n<h2 id=\"study\">What was run</h2>\n<dl>\n";
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

/// What the script sorts by: the stored number, and nothing where there is none.
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

/// The numbers that a figure shows, for those who cannot see it.
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
      text += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td></tr>\n",
                          html_text(series.label),
                          html_text(stacked ? figure.categories[i] : plain_number(point.x)), value);
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
  text += "<body>\n<a class=\"skip\" href=\"#main\">To the results</a>\n<header>\n<h1>" +
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
      "</main>\n<footer>Made by dlscale from the runs' own records; every number is in the CSV "
      "files beside this page.</footer>\n</body>\n</html>\n";
  return text;
}

}  // namespace dlscale::analysis
