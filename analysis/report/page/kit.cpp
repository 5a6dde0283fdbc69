// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/kit.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/report/figures/gnuplot.hpp"
#include "analysis/report/figures/pgfplots.hpp"
#include "analysis/report/page/html_page.hpp"
#include "analysis/report/page/latex_values.hpp"
#include "analysis/report/page/paper.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/file.hpp"
#include "base/parallel_for.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Whole pages, and every table in every format, but for text: terminals have that from `analyze`.
void write_texts(const StudyPage& page, const fs::path& folder) {
  base::make_directories(folder / "tables");
  std::vector<std::function<void()>> parts;  // those that take longest first
  for (const auto& [name, text] :
       {std::pair{"values.tex", &latex_values_file}, std::pair{"report.html", &html_page},
        std::pair{"paper.tex", &paper}}) {
    parts.emplace_back([&page, text = text, file = folder / name] {
      base::write_file_if_changed(file, text(page));
    });
  }
  for (const Table& table : page.report.tables) {
    for (const ReportWriter* writer : report_writers()) {
      if (std::string_view(writer->name) == "text") continue;
      parts.emplace_back([&table, writer, &folder] {
        base::write_file_if_changed(folder / "tables" / (table.id + "." + writer->extension),
                                    writer->render_alone(table));
      });
    }
  }
  base::parallel_for(parts.size(), [&](std::size_t i) { parts[i](); });
}

/// Tells which pictures there are not, and why.
WrittenKit write_figures(const StudyPage& page, const fs::path& folder, const std::string& gnuplot,
                         const std::function<void(const std::string&, double)>& on_part) {
  WrittenKit kit{page.report.tables.size(), page.figures.size(), 0, ""};
  std::mutex mutex;
  std::size_t done = 0;
  std::size_t first = page.figures.size();  // without pictures, whoever of the threads met it first
  base::parallel_for(page.figures.size(), [&](std::size_t i) {
    const NamedFigure& named = page.figures[i];
    write_pgfplots(named.figure, folder / named.id);
    const Drawn drawn = write_figure(named.figure, folder / named.id, {"svg", "pdf"}, gnuplot);
    const std::lock_guard lock(mutex);
    ++done;
    if (!drawn.problem.empty()) {
      ++kit.undrawn;
      if (i < first) kit.problem = drawn.problem;
      first = std::min(first, i);
    }
    if (on_part) {
      on_part(named.id, static_cast<double>(done) / static_cast<double>(page.figures.size()));
    }
  });
  return kit;
}

}  // namespace

WrittenKit write_kit(const StudyPage& page, const fs::path& folder,
                     const std::function<void(const std::string&, double)>& on_part,
                     const std::string& gnuplot) {
  write_texts(page, folder);
  return write_figures(page, folder / "figures", gnuplot, on_part);
}

}  // namespace dlscale::analysis
