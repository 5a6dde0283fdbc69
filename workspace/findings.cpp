// SPDX-License-Identifier: Apache-2.0
#include "workspace/findings.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {
namespace {

RunIds runs_where(const contract::Plan& plan, const std::string& condition,
                  const base::Location& where) {
  if (condition.empty()) return {};
  return matching_runs(plan, {.runs = {}, .where = condition, .where_at = where});
}

}  // namespace

TestedFindings test_findings(const std::string& file, const StudyChoice& own) {
  const std::vector<analysis::PublishedFinding> findings =
      analysis::read_findings(base::read_file(file), file);
  const analysis::Frame frame = open_study(own).frame;
  const contract::Plan plan =
      contract::read_plan(contract::PlanDir(std::filesystem::path(own.folder)));
  TestedFindings tested{frame.study, {}};
  for (const analysis::PublishedFinding& finding : findings) {
    analysis::FindingResult result;
    try {
      result = test_finding(finding, frame, runs_where(plan, finding.left, finding.left_at),
                            runs_where(plan, finding.right, finding.right_at));
    } catch (const base::SpecError& error) {
      result.reason = error.what();
    }
    tested.findings.push_back({finding, std::move(result)});
  }
  return tested;
}

}  // namespace dlscale::workspace
