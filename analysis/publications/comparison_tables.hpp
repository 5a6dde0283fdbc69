// SPDX-License-Identifier: Apache-2.0
// Shows a publication, its contradictions and the results next to it, as tables.
#pragma once

#include <string>
#include <vector>

#include "analysis/publications/comparison.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// Returns the tables of the publication: values by kind, with its definitions as notes.
Table publication_table(const ReferenceStudy& study);

/// Returns the published value, the result and their difference.
Table comparison_table(const ReferenceStudy& study, const Comparison& comparison);

/// Returns published values without a matching result.
Table unmatched_table(const ReferenceStudy& study, const Comparison& comparison);

Table contradiction_table(const ReferenceStudy& study, const std::vector<Contradiction>& found);

/// Returns the same for terminals, as paragraphs.
std::string contradiction_text(const ReferenceStudy& study,
                               const std::vector<Contradiction>& found);

}  // namespace dlscale::analysis
