// SPDX-License-Identifier: Apache-2.0
// Renders the parts of the HTML report that other pages also show: answers, conditions, sentences,
// tables and figures. All texts are escaped.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

enum class TableView {
  Folded,  ///< the reader unfolds the table, and the script of the page sorts it
  Open,    ///< the table is unfolded and has no buttons, for a page without a script
};

/// Returns a <ul> element with an item for each text.
std::string html_list(const std::vector<std::string>& items);

/// Returns a text as HTML. Parts between backticks become <code> elements.
std::string html_sentences(const std::string& text);

/// Returns a <pre> element with one command on each line, or an empty text without commands.
std::string html_commands(const std::vector<std::string>& commands);

/// Returns the first screen of a page: the answers, next to the figures of first_figures(). Returns
/// an empty text if the page has neither. The answers link to the tables of the page and to its
/// conditions.
std::string first_screen(const StudyPage& page);

/// Returns the section with the warnings, the facts, and the notes in `common`.
std::string conditions_section(const StudyPage& page, const std::vector<std::string>& common);

/// Returns a <figure> element with the drawing, its title and its numbers. The shown title omits
/// " of STUDY" at its end, because the page has the name of the study as its heading.
std::string figure_element(const NamedFigure& named, const std::string& study);

/// Returns the HTML of a table, with its notes below it and without its title. The page must
/// contain the title in an element with the id "caption-<id of the table>".
std::string html_table(const Table& table, const std::vector<std::string>& notes, TableView view);

/// Appends a section with the title, the table and its notes to `text`.
void add_table_section(std::string& text, const Table& table, const std::vector<std::string>& notes,
                       TableView view);

}  // namespace dlscale::analysis
