// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/report_bundle.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/report/figures/pgfplots.hpp"
#include "analysis/report/latex_text.hpp"
#include "analysis/report/page/html_page.hpp"
#include "analysis/report/page/latex_values.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/file.hpp"
#include "base/parallel_for.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;

std::string latex_figure(const NamedFigure& named) {
  const Figure& figure = named.figure;
  return "\\begin{figure}\n  \\centering\n"
         "  \\begin{adjustbox}{max width=\\linewidth}\\input{figures/" +
         named.id + ".tex}\\end{adjustbox}\n  \\caption{" + latex_text(figure.title) + "; " +
         latex_text(figure.subtitle) + ".}\n  \\label{fig:" + named.id + "}\n\\end{figure}\n";
}

std::string latex_preamble() {
  return "\\documentclass[a4paper,10pt]{article}\n"
         "\\usepackage[margin=2cm]{geometry}\n" +
         latex_font_packages() + latex_table_packages() + latex_figure_packages() +
         "\\usepackage{standalone} % each figure is a separate document\n"
         "\\usepackage{float}\\floatplacement{table}{H}\\floatplacement{figure}{H}\n"
         "\\input{values}\n\\sloppy\n";
}

namespace {

/// Returns a LaTeX sentence that shows how the text of a paper can use a number of the report. The
/// example is the first number of the first table.
std::string example_of_value(const StudyPage& page) {
  const std::vector<LatexValue> values = latex_values(page.report, 1);
  if (values.empty()) return "";
  const std::string call = "{" + latex_study(page.title) + "}{" + values.front().key + "}";
  return "\\noindent The text of a paper can use numbers from \\texttt{values.tex}: "
         "\\texttt{\\textbackslash dlsval" +
         latex_text(call) + "} is \\num{\\dlsval" + call + "}.\n";
}

}  // namespace

std::string paper(const StudyPage& page) {
  std::string text =
      "% Tables and figures of a study. A paper that includes them also needs these packages.\n" +
      latex_preamble() + "\\begin{document}\n\\title{" + latex_text(page.title) +
      "}\n\\author{}\\date{}\n\\maketitle\n";
  text += "\\section*{Study}\n\\begin{description}\n";
  for (const auto& [name, value] : page.facts) {
    text += "  \\item[" + latex_text(name) + "] " + latex_text(value) + "\n";
  }
  for (const std::string& warning : page.warnings) {
    text += "  \\item[warning] " + latex_text(warning) + "\n";
  }
  text += "\\end{description}\n\\section*{Tables}\n";
  for (const Table& table : page.report.tables) {
    text += "\\input{tables/" + table.id + ".tex}\n";
  }
  text += example_of_value(page);
  text += "\\section*{Figures}\n";
  for (const NamedFigure& figure : page.figures) text += latex_figure(figure);
  return text + "\\end{document}\n";
}

void write_documents(const StudyPage& page, const std::vector<DocumentFile>& documents,
                     const fs::path& folder) {
  base::make_directories(folder / "tables");
  // Tasks that run in parallel, with the slowest tasks first.
  std::vector<std::function<void()>> parts;
  for (const DocumentFile& document : documents) {
    parts.emplace_back([&document, &folder] {
      base::write_file_if_changed(folder / document.name, document.content());
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

WrittenBundle write_figures(const StudyPage& page, const fs::path& folder,
                            const std::string& converter,
                            const std::function<void(const std::string&, double)>& on_part) {
  WrittenBundle bundle{page.report.tables.size(), page.figures.size(), 0, ""};
  std::mutex mutex;
  std::size_t done = 0;
  // Smallest index of a figure without a PDF file, over all threads.
  std::size_t first = page.figures.size();
  base::parallel_for(page.figures.size(), [&](std::size_t i) {
    const NamedFigure& named = page.figures[i];
    write_pgfplots(named.figure, folder / named.id);
    const Drawn drawn = write_figure(named.figure, folder / named.id, {"svg", "pdf"}, converter);
    const std::lock_guard lock(mutex);
    ++done;
    if (!drawn.problem.empty()) {
      ++bundle.undrawn;
      if (i < first) bundle.problem = drawn.problem;
      first = std::min(first, i);
    }
    if (on_part) {
      on_part(named.id, static_cast<double>(done) / static_cast<double>(page.figures.size()));
    }
  });
  return bundle;
}

WrittenBundle write_kit(const StudyPage& page, const fs::path& folder,
                        const std::function<void(const std::string&, double)>& on_part,
                        const std::string& converter) {
  write_documents(page,
                  {{"values.tex", [&] { return latex_values_file(page); }},
                   {"report.html", [&] { return html_page(page); }},
                   {"paper.tex", [&] { return paper(page); }}},
                  folder);
  return write_figures(page, folder / "figures", converter, on_part);
}

}  // namespace dlscale::analysis
