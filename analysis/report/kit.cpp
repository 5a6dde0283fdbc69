// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/kit.hpp"

#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/for_each_index.hpp"
#include "analysis/report/gnuplot.hpp"
#include "analysis/report/html_page.hpp"
#include "analysis/report/latex_values.hpp"
#include "analysis/report/paper.hpp"
#include "analysis/report/pgfplots.hpp"
#include "analysis/report/report_writer.hpp"
#include "base/file.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Every table in every format, but for text: terminals have that from `analyze`.
void write_tables(const StudyPage& page, const fs::path& folder) {
  base::make_directories(folder);
  const std::vector<Table>& tables = page.report.tables;
  for_each_index(tables.size(), [&](std::size_t i) {
    for (const ReportWriter* writer : report_writers()) {
      if (std::string_view(writer->name) == "text") continue;
      base::write_file_if_changed(folder / (tables[i].id + "." + writer->extension),
                                  writer->render({{tables[i]}}));
    }
  });
}

/// Returns why there are no pictures.
std::string write_figures(const StudyPage& page, const fs::path& folder, const std::string& gnuplot,
                          const std::function<void(const std::string&, double)>& on_part) {
  std::mutex mutex;
  std::size_t done = 0;
  std::string problem;
  for_each_index(page.figures.size(), [&](std::size_t i) {
    const NamedFigure& named = page.figures[i];
    write_pgfplots(named.figure, folder / named.id);
    const Drawn drawn = write_figure(named.figure, folder / named.id, {"svg", "pdf"}, gnuplot);
    const std::lock_guard lock(mutex);
    ++done;
    if (problem.empty()) problem = drawn.problem;
    if (on_part) {
      on_part(named.id, static_cast<double>(done) / static_cast<double>(page.figures.size()));
    }
  });
  return problem;
}

}  // namespace

WrittenKit write_kit(const StudyPage& page, const fs::path& folder,
                     const std::function<void(const std::string&, double)>& on_part,
                     const std::string& gnuplot) {
  base::make_directories(folder);
  write_tables(page, folder / "tables");
  const std::string problem = write_figures(page, folder / "figures", gnuplot, on_part);
  const std::pair<const char*, std::string (*)(const StudyPage&)> pages[] = {
      {"values.tex", &latex_values_file}, {"report.html", &html_page}, {"paper.tex", &paper}};
  for_each_index(std::size(pages), [&](std::size_t i) {
    base::write_file_if_changed(folder / pages[i].first, pages[i].second(page));
  });
  return {page.report.tables.size(), page.figures.size(), problem};
}

}  // namespace dlscale::analysis
