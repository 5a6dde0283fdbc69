// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/paper.hpp"

#include "analysis/report/latex_text.hpp"
#include "analysis/report/page/latex_values.hpp"

namespace dlscale::analysis {
namespace {

std::string figure_float(const NamedFigure& named) {
  const Figure& figure = named.figure;
  return "\\begin{figure}\n  \\centering\n"
         "  \\begin{adjustbox}{max width=\\linewidth}\\input{figures/" +
         named.id + ".tex}\\end{adjustbox}\n  \\caption{" + latex_text(figure.title) + "; " +
         latex_text(figure.subtitle) + ".}\n  \\label{fig:" + named.id + "}\n\\end{figure}\n";
}

/// How the text of a paper takes a number, by the first one there is.
std::string example_of_value(const StudyPage& page) {
  const std::vector<LatexValue> values = latex_values(page.report, 1);
  if (values.empty()) return "";
  const std::string call = "{" + latex_study(page.title) + "}{" + values.front().key + "}";
  return "\\noindent The text of a paper takes numbers from \\texttt{values.tex}: "
         "\\texttt{\\textbackslash dlsval" +
         latex_text(call) + "} is \\num{\\dlsval" + call + "}.\n";
}

}  // namespace

std::string paper(const StudyPage& page) {
  std::string text =
      "% Tables and figures of a study. A paper that takes some needs these packages, too.\n"
      "\\documentclass[a4paper,10pt]{article}\n"
      "\\usepackage[margin=2cm]{geometry}\n" +
      latex_font_packages() + latex_table_packages() + latex_figure_packages() +
      "\\usepackage{standalone} % a figure is a document of its own\n"
      "\\usepackage{float}\\floatplacement{table}{H}\\floatplacement{figure}{H}\n"
      "\\input{values}\n\\sloppy\n\\begin{document}\n\\title{" +
      latex_text(page.title) + "}\n\\author{}\\date{}\n\\maketitle\n";
  text += "\\section*{What was run}\n\\begin{description}\n";
  for (const auto& [name, value] : page.facts) {
    text += "  \\item[" + latex_text(name) + "] " + latex_text(value) + "\n";
  }
  for (const std::string& warning : page.warnings) {
    text += "  \\item[beware] " + latex_text(warning) + "\n";
  }
  text += "\\end{description}\n\\section*{Tables}\n";
  for (const Table& table : page.report.tables) {
    text += "\\input{tables/" + table.id + ".tex}\n";
  }
  text += example_of_value(page);
  text += "\\section*{Figures}\n";
  for (const NamedFigure& figure : page.figures) text += figure_float(figure);
  return text + "\\end{document}\n";
}

}  // namespace dlscale::analysis
