// SPDX-License-Identifier: Apache-2.0
// Launches of runs whose ranks are threads of the test, or processes that include the test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "tests/support/records.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

struct ThreadLaunch {
  std::vector<contract::ResultRecord> records;
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  std::string summary;
  std::string resumed_from;
  std::string parameters;  ///< final parameters of the model, as doubles in bytes
};

/// Disturbances of a launch.
struct Trouble {
  /// Rank that receives a stop request at its poll with number `question`, counted from 0.
  int rank = -1;
  int question = 0;
  /// Function that changes the folder of the launch before the launch starts.
  std::function<void(const contract::LaunchDir&)> prepare;
};

/// Runs the next launch of a run in the folder of the run.
ThreadLaunch launch(const contract::RunSpec& spec, const std::filesystem::path& run_folder,
                    const Trouble& trouble = {});

/// Runs a single launch in a temporary folder.
ThreadLaunch run(const contract::RunSpec& spec);

/// **Collective.** Runs a single launch on ranks that the test does not start. Rank 0 returns all
/// results. On other ranks, only `outcome` and `summary` are meaningful.
ThreadLaunch run_as_rank(const contract::RunSpec& spec, trainer::Communicator& ranks);

/// Runs a launch whose last rank receives a stop request after the first window, and a second
/// launch that resumes. Checks the stop and the resumption, and returns the second launch.
ThreadLaunch run_with_stop(const contract::RunSpec& spec);

/// Returns the largest difference between the ThreadLaunch::parameters of two runs, or infinity if
/// their sizes differ.
double largest_difference(const std::string& a, const std::string& b);

}  // namespace dlscale::test
