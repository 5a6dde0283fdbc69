// SPDX-License-Identifier: Apache-2.0
// Compares the code of the external runs of a plan folder: warns of code that changed, and finds
// the runs that must be repeated so that all runs use the same code.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// Returns the first names as text: "a, b, c, …".
std::string first_names(const std::vector<std::string>& names);

/// Returns a warning for each change of the code or the packages between the submission and the
/// start of the last launch of a run. Runs with the same change share a warning. Plans of earlier
/// versions of dlscale contain no descriptions of the code and cause no warnings.
std::vector<std::string> code_changes(const contract::Plan& plan, const contract::PlanDir& folder,
                                      const RunIds& runs);

/// Completed runs that used the same code, which is not the code of the newest completed run. If
/// the training script changed after the newest completed run, these are all runs that used another
/// version of the script than the present version.
struct OldCode {
  /// Id of the newest completed run. Empty if the training script changed after this run.
  std::string newest;
  /// "train.py differs" or "commit 12ab instead of 34cd". The training script if `newest` is empty.
  std::string difference;
  std::vector<std::string> runs;  ///< ids in the order of the plan
};

/// Returns the completed runs among `runs` whose code is not the code of the newest completed run,
/// by their code. The newest run is the run whose completed launch started last. If the training
/// script changed after this run, returns the runs of other versions of the script. Other files are
/// not compared with their present content. Runs that wait or run again are left out, and so are
/// runs whose code is unknown.
std::vector<OldCode> old_code(const contract::Plan& plan, const contract::PlanDir& folder,
                              const RunIds& runs);

/// Returns a warning for each entry of old_code(). The warning names the file or the commit that
/// differs, the runs, and the command that repeats the runs.
std::vector<std::string> old_code_warnings(const contract::Plan& plan,
                                           const contract::PlanDir& folder, const RunIds& runs);

}  // namespace dlscale::workspace
