// SPDX-License-Identifier: Apache-2.0
// A publication, its contradictions and own values beside it, as tables.
#pragma once

#include <string>
#include <vector>

#include "analysis/publications/comparison.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// The publication's tables: values of each kind, and its definitions as notes.
Table publication_table(const ReferenceStudy& study);

/// Published, own, difference.
Table comparison_table(const ReferenceStudy& study, const Comparison& comparison);

/// Published values that no own point is about.
Table unmatched_table(const ReferenceStudy& study, const Comparison& comparison);

Table contradiction_table(const ReferenceStudy& study, const std::vector<Contradiction>& found);

/// The same for terminals: a paragraph for each.
std::string contradiction_text(const ReferenceStudy& study,
                               const std::vector<Contradiction>& found);

}  // namespace dlscale::analysis
