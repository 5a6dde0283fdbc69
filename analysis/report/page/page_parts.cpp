// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/page_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/figures/svg_figure.hpp"
#include "analysis/report/html_text.hpp"
#include "analysis/report/page/page_sections.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

namespace {

/// Largest number of points of a figure for which the page lists the numbers below the figure. The
/// figure's CSV file always lists all points.
constexpr std::size_t kMostListed = 400;

}  // namespace

std::string html_list(const std::vector<std::string>& items) {
  std::string text = "<ul>\n";
  for (const std::string& item : items) text += "<li>" + html_text(item) + "</li>\n";
  return text + "</ul>\n";
}

std::string html_sentences(const std::string& text) {
  std::string html;
  bool in_code = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('`', at), text.size());
    html += html_text(text.substr(at, end - at));
    if (end == text.size()) break;
    in_code = !in_code;
    html += in_code ? "<code>" : "</code>";
    at = end + 1;
  }
  return in_code ? html + "</code>" : html;
}

std::string html_commands(const std::vector<std::string>& commands) {
  if (commands.empty()) return "";
  std::string text = "<pre><code>" + html_text(commands.front());
  for (std::size_t i = 1; i < commands.size(); ++i) text += "\n" + html_text(commands[i]);
  return text + "</code></pre>\n";
}

namespace {

const char* light_class(TrustCheck::Light light) {
  switch (light) {
    case TrustCheck::Light::Green:
      return "green";
    case TrustCheck::Light::Amber:
      return "amber";
    case TrustCheck::Light::Red:
      return "red";
  }
  return "";
}

bool has_table(const StudyPage& page, const std::string& id) {
  return std::any_of(page.report.tables.begin(), page.report.tables.end(),
                     [&](const Table& table) { return table.id == id; });
}

std::string lights(const StudyPage& page) {
  std::string text = "<ul class=\"lights\">\n";
  for (const TrustCheck& check : page.answer.checks) {
    const std::string target =
        has_table(page, check.table) ? "table-" + html_text(check.table) : "conditions";
    const std::string link =
        fmt::format("<a href=\"#{}\" title=\"{}\">{}: {}</a>", target, html_text(check.text),
                    html_text(check.name), light_word(check.light));
    // A passed check needs no explanation on the first screen.
    const std::string why =
        check.light == TrustCheck::Light::Green ? "" : " – " + html_text(check.text);
    text += fmt::format("<li class=\"{}\">{}{}</li>\n", light_class(check.light), link, why);
  }
  return text + "</ul>\n";
}

std::string next_runs(const StudyPage& page) {
  if (page.answer.next.empty()) return "";
  std::string text = "<dt>What to run next?</dt>\n<dd>\n";
  for (const NextStep& step : page.answer.next) {
    text += "<p>" + html_text(step.reason) + "</p>\n";
    text += html_commands(step.commands);
  }
  return text + "</dd>\n";
}

/// Number of answers before the traffic lights. These answers state how many GPUs to use and which
/// variant is faster. The lights follow them, so that long further answers cannot move the lights
/// below the first screen.
constexpr std::size_t kAnswersBeforeLights = 2;

std::string answers(const StudyPage& page) {
  const StudyAnswer& answer = page.answer;
  if (answer.study.empty()) return "";
  std::string text = "<p class=\"study\">" + html_text(answer.study);
  if (!answer.setup.empty()) text += " " + html_text(answer.setup);
  if (answer.has_several_setups) text += " <a href=\"#conditions\">Conditions</a>";
  text += "</p>\n<dl class=\"answers\">\n";
  const std::string trust =
      answer.checks.empty() ? "" : "<dt>Can I trust it?</dt>\n<dd>" + lights(page) + "</dd>\n";
  const std::size_t before = std::min(answer.answers.size(), kAnswersBeforeLights);
  for (std::size_t i = 0; i < answer.answers.size(); ++i) {
    if (i == before) text += trust;
    const Answer& one = answer.answers[i];
    text += fmt::format("<dt>{}</dt>\n<dd{}>{}</dd>\n", html_text(one.question),
                        one.is_supported ? "" : " class=\"open\"", html_sentences(one.text));
  }
  if (before == answer.answers.size()) text += trust;
  return text + next_runs(page) + "</dl>\n";
}

/// Returns the value by which the page's script sorts a cell: the unrounded number, or the low end
/// of bounds. Returns an empty text for a cell without a number.
std::string sort_value(const Cell& cell) {
  double value = std::nan("");
  if (const auto* number = std::get_if<double>(&cell)) value = *number;
  if (const auto* bounds = std::get_if<Bounds>(&cell)) value = bounds->low;
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::string column_head(const Table& table, std::size_t i, TableView view) {
  const Column& column = table.columns[i];
  const std::string unit = column.unit.empty() ? ""
                                               : fmt::format(" <span class=\"unit\">({})</span>",
                                                             html_text(column.unit));
  const char* numeric = is_numeric(table, i) ? " class=\"n\"" : "";
  if (view == TableView::Open) {
    return fmt::format("<th scope=\"col\"{}>{}{}</th>", numeric, html_text(column.title), unit);
  }
  return fmt::format(
      "<th scope=\"col\" aria-sort=\"none\"{}><button type=\"button\">{}{}</button></th>", numeric,
      html_text(column.title), unit);
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

}  // namespace

std::string html_table(const Table& table, const std::vector<std::string>& notes, TableView view) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"caption-{}\">\n"
      "<table>\n<thead><tr>",
      html_text(table.id));
  std::vector<bool> numeric;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += column_head(table, i, view);
    numeric.push_back(is_numeric(table, i));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& cells : table.rows) add_table_row(text, table, cells, numeric);
  text += "</tbody>\n</table>\n</div>\n";
  if (notes.empty()) return text;
  text += "<ul class=\"notes\">\n";
  for (const std::string& note : notes) text += "<li>" + html_text(note) + "</li>\n";
  return text + "</ul>\n";
}

void add_table_section(std::string& text, const Table& table, const std::vector<std::string>& notes,
                       TableView view) {
  text += fmt::format(
      "<section id=\"table-{0}\">\n<details class=\"table\"{3}><summary id=\"caption-{0}\">{1} "
      "<span class=\"unit\">({2})</span></summary>\n",
      html_text(table.id), html_text(table.title),
      base::count_of(static_cast<std::int64_t>(table.rows.size()), "row"),
      view == TableView::Open ? " open" : "");
  text += html_table(table, notes, view);
  text += "</details>\n</section>\n";
}

namespace {

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
      "<details class=\"numbers\"><summary>Numbers</summary>\n<div class=\"scroll\" tabindex=\"0\" "
      "role=\"region\" "
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

}  // namespace

std::string figure_element(const NamedFigure& named, const std::string& study) {
  const std::string id = "figure-" + html_text(named.id);
  const Figure& figure = named.figure;
  std::string title = figure.title;
  for (const std::string& end : {" of " + study, " in " + study}) {
    if (title.ends_with(end)) title.resize(title.size() - end.size());
  }
  return fmt::format("<figure id=\"{}\">\n<figcaption>{}<span>{}</span></figcaption>\n", id,
                     html_text(title), html_text(figure.subtitle)) +
         svg_legend(figure, id) +
         "<div class=\"plot\" tabindex=\"0\" role=\"region\" aria-label=\"" +
         html_text(figure.title) + "\">\n" + svg_figure(figure, id) + "</div>\n" + listed(figure) +
         "</figure>\n";
}

std::string conditions_section(const StudyPage& page, const std::vector<std::string>& common) {
  std::string text =
      "<section aria-labelledby=\"conditions\">\n<h2 id=\"conditions\">Conditions</h2>\n";
  if (!page.warnings.empty()) {
    text += "<div class=\"warnings\">\n<h3>Warnings</h3>\n" + html_list(page.warnings) + "</div>\n";
  }
  text += "<dl>\n";
  for (const auto& [name, value] : page.facts) {
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(name), html_text(value));
  }
  text += "</dl>\n";
  if (!common.empty()) text += "<p>Notes of most tables:</p>\n" + html_list(common);
  return text + "</section>\n";
}

std::string first_screen(const StudyPage& page) {
  const std::vector<const NamedFigure*> figures = first_figures(page);
  const std::string said = answers(page);
  if (figures.empty() && said.empty()) return "";
  const bool is_alone = figures.empty() || said.empty();
  std::string text = fmt::format("<div class=\"first{}\">\n", is_alone ? " alone" : "");
  if (!said.empty()) text += "<section aria-label=\"Answers\">\n" + said + "</section>\n";
  if (!figures.empty()) text += "<div>\n";
  for (const NamedFigure* figure : figures) text += figure_element(*figure, page.title);
  if (!figures.empty()) text += "</div>\n";
  return text + "</div>\n";
}

}  // namespace dlscale::analysis
