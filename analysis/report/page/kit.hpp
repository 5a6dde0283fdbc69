// SPDX-License-Identifier: Apache-2.0
// A study's report as files: for papers, for pages, for programs and for browsers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

// A LaTeX document that shows a study's tables and figures: to look at, and to take from.

/// It reads values.tex, tables/<id>.tex and figures/<id>.tex beside it. For pdfLaTeX, LuaLaTeX and
/// XeLaTeX.
std::string paper(const StudyPage& page);

struct WrittenKit {
  std::size_t tables = 0;
  std::size_t figures = 0;
  std::size_t undrawn = 0;  ///< figures of them without PDF files
  std::string problem;      ///< why the first of these has none; empty when all have
};

/// Writes into `folder` tables/<id>.{md,csv,tex,json}, figures/<id>.{csv,svg,pdf,tex},
/// report.html, values.tex and paper.tex. The same page gives the same bytes. `on_part` is told
/// what was written and how much is done, 0 to 1, by one thread at a time. Throws base::RunError
/// when a file cannot be written.
WrittenKit write_kit(const StudyPage& page, const std::filesystem::path& folder,
                     const std::function<void(const std::string&, double)>& on_part = {},
                     const std::string& converter = kConverter);

}  // namespace dlscale::analysis
