// SPDX-License-Identifier: Apache-2.0
// Checks whether runs fit the memory of their GPUs, based on the cost models of the runs and on the
// memory that measured runs held.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/data_folders.hpp"
#include "planner/site/site.hpp"
#include "predict/training_model.hpp"

namespace dlscale::planner {

/// Memory check with a folder of cost models and a folder of devices. Runs are checked only if both
/// folders are given.
class MemoryFit {
 public:
  MemoryFit(std::optional<std::filesystem::path> cards,
            std::optional<std::filesystem::path> devices)
      : judges_(cards && devices), cards_(std::move(cards)), devices_(std::move(devices)) {}

  /// Returns a message if a run cannot run on the partition because it needs more memory than the
  /// GPU has. Returns nothing in these cases:
  /// - The run fits.
  /// - The site does not name its GPU.
  /// - The cost model is missing.
  /// - The prediction does not support the settings of the run.
  /// Real runs hold more memory than their cost models predict. `measured` provides this additional
  /// memory, unless `measured` is null or describes another device.
  /// Throws base::UsageError for a GPU that is not in the folder, and base::SpecError for broken
  /// files.
  std::optional<std::string> conflict(const contract::RunSpec& run, const Partition* partition,
                                      const predict::Measurements* measured = nullptr);

  /// Returns warnings about runs that passed the check but may still run out of memory. Such a run
  /// has less spare memory than the error of predictions, or its cost model is missing.
  std::vector<std::string> notes() const;

 private:
  bool judges_;
  CardFolder cards_;
  DeviceFolder devices_;
  int close_ = 0, unjudged_ = 0;
  std::set<std::string> without_card_;  ///< networks and precisions without a cost model
};

}  // namespace dlscale::planner
