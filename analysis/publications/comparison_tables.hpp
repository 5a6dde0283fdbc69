// SPDX-License-Identifier: Apache-2.0
// Builds the tables that show a publication, its contradictions, and its comparison with the user's
// results.
#pragma once

#include <string>
#include <vector>

#include "analysis/publications/comparison.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// Returns the number of values of each kind (R, D, C) in each table of the publication. The notes
/// below the table contain the definitions of the publication.
Table publication_table(const ReferenceStudy& study);

/// Returns one row for each match: the published value, the result and their difference.
Table comparison_table(const ReferenceStudy& study, const Comparison& comparison);

/// Returns a sentence such as "89 of 154 published values have an own counterpart (58 %)".
std::string coverage_note(const Comparison& comparison);

/// Returns published values without a matching result, each with the reason.
Table unmatched_table(const ReferenceStudy& study, const Comparison& comparison);

Table contradiction_table(const ReferenceStudy& study, const std::vector<Contradiction>& found);

/// Returns the contradictions as paragraphs of text for a terminal.
std::string contradiction_text(const ReferenceStudy& study,
                               const std::vector<Contradiction>& found);

}  // namespace dlscale::analysis
