// SPDX-License-Identifier: Apache-2.0
// Writes a study's report to a folder: an HTML page, a LaTeX document, and all tables and figures
// as separate files in several formats.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

// LaTeX document with a study's tables and figures. Authors can copy parts of it into a paper.

/// Returns the LaTeX document paper.tex. The document inputs values.tex, tables/<id>.tex and
/// figures/<id>.tex from its folder. It works with pdfLaTeX, LuaLaTeX and XeLaTeX.
std::string paper(const StudyPage& page);

/// Returns the beginning of a LaTeX document with tables and figures, up to \begin{document}. The
/// document inputs values.tex from its folder.
std::string latex_preamble();

/// Returns the LaTeX figure environment that inputs figures/<id>.tex.
std::string latex_figure(const NamedFigure& named);

struct WrittenBundle {
  std::size_t tables = 0;
  std::size_t figures = 0;
  std::size_t undrawn = 0;  ///< number of figures whose PDF file could not be made
  std::string problem;      ///< reason for the first missing PDF file; empty: none is missing
};

/// Writes tables/<id>.{md,csv,tex,json}, figures/<id>.{csv,svg,pdf,tex}, report.html, values.tex
/// and paper.tex into `folder`. The same page always gives identical bytes. After each figure,
/// calls `on_part` with the id of the figure and the share of completed figures, from 0 to 1. These
/// calls never overlap. Throws base::RunError if a file cannot be written.
WrittenBundle write_kit(const StudyPage& page, const std::filesystem::path& folder,
                        const std::function<void(const std::string&, double)>& on_part = {},
                        const std::string& converter = kConverter);

// The following functions write parts of the report bundle for other documents, such as proposals.

/// Document: the name of its file, and the function that returns the content of the file.
struct DocumentFile {
  std::string name;
  std::function<std::string()> content;
};

/// Writes documents and each table of the page in all formats except plain text: <name> for each
/// document, and tables/<id>.{md,csv,tex,json}.
void write_documents(const StudyPage& page, const std::vector<DocumentFile>& documents,
                     const std::filesystem::path& folder);

/// Writes the figures of the page to `folder` and reports progress as write_kit does. The result
/// contains the number of PDF files that could not be made, and the reason.
WrittenBundle write_figures(const StudyPage& page, const std::filesystem::path& folder,
                            const std::string& converter = kConverter,
                            const std::function<void(const std::string&, double)>& on_part = {});

}  // namespace dlscale::analysis
