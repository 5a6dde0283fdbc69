// SPDX-License-Identifier: Apache-2.0
// Writes a study's report as files for papers, web pages, programs and browsers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

// LaTeX document that shows a study's tables and figures and is a source to copy from.

/// Returns the document, which reads values.tex, tables/<id>.tex and figures/<id>.tex from its
/// folder. It works with pdfLaTeX, LuaLaTeX and XeLaTeX.
std::string paper(const StudyPage& page);

struct WrittenBundle {
  std::size_t tables = 0;
  std::size_t figures = 0;
  std::size_t undrawn = 0;  ///< number of figures without PDF files
  std::string problem;      ///< problem of the first figure without a PDF file; empty: all have one
};

/// Writes tables/<id>.{md,csv,tex,json}, figures/<id>.{csv,svg,pdf,tex}, report.html, values.tex
/// and paper.tex into `folder`. The same page gives the same bytes. Calls `on_part` with the name
/// of the written part and the completed share, 0 to 1, from one thread at a time. Throws
/// base::RunError when a file cannot be written.
WrittenBundle write_kit(const StudyPage& page, const std::filesystem::path& folder,
                        const std::function<void(const std::string&, double)>& on_part = {},
                        const std::string& converter = kConverter);

}  // namespace dlscale::analysis
