// SPDX-License-Identifier: Apache-2.0
// A launch of a run whose ranks are threads of the test, or processes of which it is one.
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
  std::string parameters;  ///< the model's in the end: the bytes of doubles
};

/// What a launch is put through.
struct Trouble {
  /// Rank `rank` is told to stop at the question number `question` (from 0) that it is asked.
  int rank = -1;
  int question = 0;
  /// Done to its folder before it begins.
  std::function<void(const contract::LaunchDir&)> prepare;
};

/// The next launch of a run, in the folder of that run.
ThreadLaunch launch(const contract::RunSpec& spec, const std::filesystem::path& run_folder,
                    const Trouble& trouble = {});

/// The only launch of a run, in a folder that is gone afterwards.
ThreadLaunch run(const contract::RunSpec& spec);

/// **Collective.** The same, of ranks that the test does not start. What was seen is rank 0's; of
/// the others' only `outcome` and `summary` say something.
ThreadLaunch run_as_rank(const contract::RunSpec& spec, trainer::Communicator& ranks);

/// The last launch of a run whose last rank is told to stop after the first window; CHECKs that it
/// stops and goes on.
ThreadLaunch run_with_stop(const contract::RunSpec& spec);

/// Between ThreadLaunch::parameters of two runs; infinite where there are not equally many.
double largest_difference(const std::string& a, const std::string& b);

}  // namespace dlscale::test
