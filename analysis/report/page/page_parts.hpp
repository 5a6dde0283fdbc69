// SPDX-License-Identifier: Apache-2.0
// Renders the parts of the HTML report that the live page also shows: answers, conditions, tables
// and figures. All texts are escaped.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

enum class TableView {
  Folded,  ///< the reader unfolds the table, and the script of the page sorts it
  Open,    ///< the table is unfolded and has no buttons, for a page without a script
};

std::string html_list(const std::vector<std::string>& items);

/// Returns the first screen of a page: the answers, next to the figures of first_figures(). Returns
/// an empty text if the page has neither. The answers link to the tables of the page and to its
/// conditions.
std::string first_screen(const StudyPage& page);

/// Returns the section with the warnings, the facts, and the notes in `common`.
std::string conditions_section(const StudyPage& page, const std::vector<std::string>& common);

std::string figure_element(const NamedFigure& named);

/// Appends the section of a table to `text`.
void add_table_section(std::string& text, const Table& table, const std::vector<std::string>& notes,
                       TableView view);

}  // namespace dlscale::analysis
