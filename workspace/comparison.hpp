// SPDX-License-Identifier: Apache-2.0
// Own results next to those of a publication, or next to predictions of them, as a report.
#pragma once

#include <string>
#include <vector>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/reference_study.hpp"
#include "analysis/report/report.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::workspace {

struct Compared {
  analysis::Report report;
  std::string nothing;  ///< why nothing could be compared; empty where something was
};

/// Compares the collected runs of `own` with the values of a publication. Published values without
/// own ones are counted in a note; `unmatched` lists them. Throws what open_study throws.
Compared compare_with_publication(const StudyChoice& own, const analysis::ReferenceStudy& study,
                                  bool unmatched);

/// Compares the collected runs of `own` with the predictions that their folder keeps, and says how
/// wrong those were. Throws what open_study throws.
Compared compare_with_predictions(const StudyChoice& own);

/// Adds what contradicts itself in a publication: a table, or a note where nothing does.
void add_contradictions(analysis::Report& report, const analysis::ReferenceStudy& study,
                        const std::vector<analysis::Contradiction>& found);

}  // namespace dlscale::workspace
