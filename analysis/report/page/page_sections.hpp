// SPDX-License-Identifier: Apache-2.0
// Sorts the tables and figures of a report into the sections of its HTML page, and finds the notes
// that the page states once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

struct PageSection {
  const char* id;     ///< HTML id, for links within the page
  const char* title;  ///< heading
  std::vector<const Table*> tables;
  std::vector<const NamedFigure*> figures;
};

/// Returns the id of the section that shows the table or figure with this id. Ids of tables can
/// have a suffix for the values of split axes, such as "efficiency-step".
std::string section_of(const std::string& id);

/// Returns the figures of the first screen. The first figure shows the efficiency or another
/// quantity of speed. The second figure shows the time to an accuracy, the accuracy or another
/// quantity. Returns fewer figures if the study has no others.
std::vector<const NamedFigure*> first_figures(const StudyPage& page);

/// Returns the sections in the order of the page, without the figures of the first screen. The
/// result refers to `page`. Sections can be empty.
std::vector<PageSection> page_sections(const StudyPage& page);

/// Returns the notes that more than half of the tables have, without those that the facts or the
/// warnings of the page state.
std::vector<std::string> common_notes(const StudyPage& page);

/// Returns the notes of the table that neither the facts, the warnings nor `common` state.
std::vector<std::string> own_notes(const StudyPage& page, const std::vector<std::string>& common,
                                   const Table& table);

}  // namespace dlscale::analysis
