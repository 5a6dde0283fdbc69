// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/writers/report_writer.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace dlscale::analysis {
namespace {

using Catch::Contains;

/// Returns a report with one cell of each kind and with special characters.
Report awkward() {
  Table table;
  table.id = "awkward";
  table.title = "100 % of R&D_x #1 ~ {a|b}";
  table.notes = {"baseline: 4 GPUs (1 node)", "a \"quoted\", comma'd note \\ ^ < >"};
  table.columns = {{"name", "name"},
                   {"step_time_s", "step", "ms", 1, 1000},
                   {"efficiency", "range", "", 2, 1, true}};
  table.rows.push_back({std::string("plain"), 0.01234, Bounds{0.9, 1.0}});
  table.rows.push_back({std::string("a,b|c_d&\"e\""), std::nan(""), {}});
  return {{table}};
}

std::string render(const char* name, const Report& report) {
  return find_report_writer(name).render(report);
}

}  // namespace

TEST_CASE("every writer shows title, notes, headings, numbers and gaps of a report") {
  for (const ReportWriter* writer : report_writers()) {
    INFO(writer->name);
    const std::string text = writer->render(awkward());
    CHECK_THAT(text, Contains("plain") && Contains("baseline: 4 GPUs (1 node)") && Contains("100"));
    CHECK((text.find("12.3") != std::string::npos || text.find("0.01234") != std::string::npos));
    CHECK(text.find("nan") == std::string::npos);
    CHECK(text.back() == '\n');
    CHECK(text == writer->render(awkward()));
  }
}

TEST_CASE("a small probability is never displayed as 0, and machine-readable formats keep it") {
  Table table{"p", "p", {}, {{"p", "p", "", 4, 1, false, true}, {"x", "x", "", 4}}, {}};
  table.rows = {{0.00009, 0.00001}, {0.00012, 0.5}, {0.0, 0.0}};
  CHECK(shown(table.rows[0][0], table.columns[0], "-") == "<0.0001");
  CHECK(shown(table.rows[1][0], table.columns[0], "-") == "0.0001");
  CHECK(shown(table.rows[2][0], table.columns[0], "-") == "<0.0001");
  CHECK(shown(table.rows[0][1], table.columns[1], "-") == "0.0000");
  CHECK_THAT(render("text", {{table}}), Contains("<0.0001"));
  CHECK_THAT(render("csv", {{table}}), Contains("9e-05,1e-05\n"));
  const std::string latex = render("latex", {{table}});
  CHECK_THAT(latex, Contains("<0.0001 & 0.0000") && Contains("S[table-format=1.4]"));
}

TEST_CASE("every writer renders every table of a report, including tables without rows") {
  Report report = awkward();
  report.tables.push_back(report.tables[0]);
  report.tables[1].title = "Second";
  report.tables[1].rows.clear();
  for (const ReportWriter* writer : report_writers()) {
    INFO(writer->name);
    CHECK_THAT(writer->render(report), Contains("Second"));
  }
}

TEST_CASE("a table without rows is a sentence in text formats and a header in CSV") {
  Report report = awkward();
  report.tables[0].rows.clear();
  for (const char* name : {"text", "markdown", "latex"}) {
    INFO(name);
    const std::string text = render(name, report);
    CHECK_THAT(text, Contains("no completed run can be shown here\n") && !Contains("step (ms)"));
  }
  CHECK_THAT(render("csv", report), Contains("name,step_time_s"));
}

TEST_CASE("writers are found by name and by file extension, and unknown names are reported") {
  CHECK(std::string(find_report_writer("md").name) == "markdown");
  CHECK(std::string(find_report_writer("latex").extension) == "tex");
  CHECK_THROWS_WITH(find_report_writer("latx"), Contains("did you mean \"latex\""));
}

TEST_CASE("LaTeX special characters are escaped") {
  const std::string text = render("latex", awkward());
  CHECK_THAT(text, Contains(R"(100 \% of R\&D\_x \#1 \textasciitilde{} \{a\textbar{}b\})"));
  CHECK_THAT(text, Contains(R"(\textbackslash{} \textasciicircum{} \textless{} \textgreater{})"));
  CHECK_THAT(
      text,
      Contains(R"(a,b\textbar{}c\_d\&\textquotedbl{}e\textquotedbl{} & {--} & {--} & {--} \\)"));
}

TEST_CASE("LaTeX tables use booktabs and siunitx with caption, label and notes") {
  const std::string text = render("latex", awkward());
  for (const char* part :
       {"\\toprule", "\\midrule", "\\bottomrule", "\\label{tab:awkward}", "\\caption{",
        "{step / \\unit{\\milli\\second}}", "\\multicolumn{2}{c}{range}", "\\cmidrule(lr){3-4}",
        "{l S[table-format=2.1] S[table-format=1.2] S[table-format=1.2]}"}) {
    CHECK_THAT(text, Contains(part));
  }
  CHECK_THAT(text, Contains("plain & 12.3 & 0.90 & 1.00 \\\\\n"));
  CHECK_THAT(text, !Contains("\\item"));  // the caption contains both notes
}

TEST_CASE("LaTeX captions have the notes on how to read numbers, and others are below") {
  Report report = awkward();
  report.tables[0].notes_in_caption = 1;
  const std::string text = render("latex", report);
  CHECK(text.find("baseline: 4 GPUs") < text.find("\\label"));
  CHECK(text.find("\\item a \\textquotedbl{}quoted") > text.find("\\bottomrule"));
}

TEST_CASE("LaTeX columns have space for signs, and rows never begin with an option") {
  Table table{"t", "t", {}, {{"name", "name"}, {"x", "x", "", 1}}, {}};
  table.rows = {{std::string("[a]"), -12.5}, {std::string("*"), 3.0}};
  const std::string text = render("latex", {{table}});
  CHECK_THAT(text, Contains("{l S[table-format=-2.1]}"));
  CHECK_THAT(text, Contains("{[a]} & -12.5") && Contains("{*} & 3.0"));
}

TEST_CASE("LaTeX tables longer than a page continue in another table with the same number") {
  Report report = awkward();
  report.tables[0].rows.resize(90, report.tables[0].rows[0]);
  const std::string text = render("latex", report);
  std::size_t parts = 0;
  for (std::size_t at = 0; (at = text.find("\\begin{tabular}", at)) != std::string::npos; ++at)
    ++parts;
  CHECK(parts == 3);
  CHECK_THAT(text, Contains("\\addtocounter{table}{-1}") && Contains(", continued."));
  CHECK(text.find("\\label") == text.rfind("\\label"));
}

TEST_CASE("JSON has rows as objects with raw values, null for gaps, and column formats") {
  const std::string text = render("json", awkward());
  CHECK_THAT(text, Contains("\"step_time_s\": 0.01234") && Contains("\"step_time_s\": null"));
  CHECK_THAT(text, Contains("\"efficiency_low\": 0.9,") && Contains("\"efficiency_high\": 1\n"));
  CHECK_THAT(text, Contains("\"unit\": \"ms\"") && Contains("\"scale\": 1000"));
  CHECK_THAT(text, Contains(R"("a,b|c_d&\"e\"")") && Contains("\"id\": \"awkward\""));
}

TEST_CASE("JSON of invalid UTF-8 is valid JSON") {
  Report report = awkward();
  report.tables[0].rows[0][0] = std::string("a\xFF\x01");
  CHECK_THAT(render("json", report), Contains("\"a\xEF\xBF\xBD\\u0001\""));
}

TEST_CASE("CSV quotes cells, keeps full precision and splits bounds") {
  const std::string text = render("csv", awkward());
  CHECK_THAT(text, Contains("name,step_time_s,efficiency_low,efficiency_high\n"));
  CHECK_THAT(text, Contains("plain,0.01234,0.9,1\n"));
  CHECK_THAT(text, Contains("\"a,b|c_d&\"\"e\"\"\",,,\n"));
  CHECK_THAT(text, Contains("# baseline: 4 GPUs (1 node)\n"));
}

TEST_CASE("Markdown escapes pipes and emphasis, and aligns numbers right") {
  const std::string text = render("markdown", awkward());
  CHECK_THAT(text, Contains("| a,b\\|c\\_d&\"e\" | – | – |\n"));
  CHECK_THAT(text, Contains("| :--- | ---: | ---: |\n"));
  CHECK_THAT(text, Contains("| plain | 12.3 | [0.90, 1.00] |\n"));
}

TEST_CASE("text tables round to the displayed precision") {
  const std::string text = render("text", awkward());
  CHECK_THAT(text, Contains("step (ms)") && Contains("12.3") && Contains("[0.90, 1.00]"));
}

}  // namespace dlscale::analysis
