// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/kit.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

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

void write_tables(const StudyPage& page, const fs::path& folder) {
  base::make_directories(folder);
  for (const Table& table : page.report.tables) {
    for (const ReportWriter* writer : report_writers()) {
      if (std::string_view(writer->name) == "text") continue;  // terminals have it from `analyze`
      base::write_file_if_changed(folder / (table.id + "." + writer->extension),
                                  writer->render({{table}}));
    }
  }
}

/// Runs `work` for 0 to count - 1 on as many threads as there are cores. Rethrows what it throws.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> threads;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cores, count); ++i) {
    threads.push_back(std::async(std::launch::async, loop));
  }
  loop();
  for (std::future<void>& thread : threads) thread.get();
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
  base::write_file_if_changed(folder / "values.tex", latex_values_file(page));
  base::write_file_if_changed(folder / "paper.tex", paper(page));
  base::write_file_if_changed(folder / "report.html", html_page(page));
  return {page.report.tables.size(), page.figures.size(), problem};
}

}  // namespace dlscale::analysis
