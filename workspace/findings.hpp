// SPDX-License-Identifier: Apache-2.0
// Tests the findings of a publication on the runs of a plan folder.
#pragma once

#include <string>
#include <vector>

#include "analysis/publications/tested_finding.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::workspace {

/// Findings of a file, tested on the collected runs of a plan folder.
struct TestedFindings {
  std::string study;
  std::vector<analysis::TestedFinding> findings;
};

/// Reads the findings in `file` and tests each of them on the runs of `own`. If a condition names
/// an axis or a value that is not in the plan, its finding is not testable, and the error message
/// is the reason. A study that runs only a part of a publication can therefore use all of its
/// findings. Throws base::SpecError for an invalid file, and what open_study throws.
TestedFindings test_findings(const std::string& file, const StudyChoice& own);

}  // namespace dlscale::workspace
