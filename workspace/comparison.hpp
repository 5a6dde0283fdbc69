// SPDX-License-Identifier: Apache-2.0
// Compares collected results with a publication or with predictions. The result is a report.
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
  std::string nothing;  ///< reason why nothing could be compared; empty otherwise
};

/// Compares the collected runs of `own` with the values of a publication. A note states the number
/// of published values without a matching result. With `unmatched`, the report also lists these
/// values. Throws what open_study throws.
Compared compare_with_publication(const StudyChoice& own, const analysis::ReferenceStudy& study,
                                  bool unmatched);

/// Compares the collected runs of `own` with the predictions saved in their folder, and computes
/// the errors of the predictions. Throws what open_study throws.
Compared compare_with_predictions(const StudyChoice& own);

/// Adds a table of the contradictions that were found within a publication. Adds a note if there
/// are none.
void add_contradictions(analysis::Report& report, const analysis::ReferenceStudy& study,
                        const std::vector<analysis::Contradiction>& found);

}  // namespace dlscale::workspace
