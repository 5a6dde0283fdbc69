// SPDX-License-Identifier: Apache-2.0
// Compares collected results with a publication or with predictions. The result is a report.
#pragma once

#include <string>
#include <vector>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/reference_study.hpp"
#include "analysis/report/report.hpp"
#include "contract/records/calibration.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::workspace {

struct Compared {
  analysis::Report report;
  std::string nothing;  ///< reason why nothing could be compared; empty otherwise
};

/// Results that are compared with a publication in addition to measured runs.
struct ComparisonChoice {
  bool predicted = false;  ///< also compare the predictions that the folder contains
  /// Calibration for values about kernels, all-reduces and links; null: none.
  const contract::Calibration* calibration = nullptr;
  bool unmatched = false;  ///< also list the values without a counterpart, with the reasons
};

/// Compares the collected runs of `own` with the values of a publication. A note states how many
/// published values have a counterpart. If no published value has a counterpart, `nothing` is set,
/// and the report is empty unless the choice asks for unmatched values. If the choice has several
/// sources, the points of all sources are compared, and a predicted value is left out if the
/// published value has another counterpart. A selection of runs may then exclude all runs of a
/// source. Throws what open_study throws for one folder.
Compared compare_with_publication(const StudyChoice& own, const analysis::ReferenceStudy& study,
                                  const ComparisonChoice& choice);

/// Compares the runs of a frame in the same way.
Compared compare_with_publication(const analysis::Frame& frame,
                                  const analysis::ReferenceStudy& study,
                                  const ComparisonChoice& choice);

/// Adds the comparison with the publication that the study of `folder` names ([study] reference),
/// and the list of values without a counterpart, to a report. Adds nothing if the study names no
/// publication. Throws what read_reference throws.
void add_named_publication(analysis::Report& report, const analysis::Frame& frame,
                           const std::string& folder);

/// Compares the collected runs of `own` with the predictions saved in their folder, and computes
/// the errors of the predictions. Throws what open_study throws.
Compared compare_with_predictions(const StudyChoice& own);

/// Adds a table of the contradictions that were found within a publication. Adds a note if there
/// are none.
void add_contradictions(analysis::Report& report, const analysis::ReferenceStudy& study,
                        const std::vector<analysis::Contradiction>& found);

}  // namespace dlscale::workspace
