// SPDX-License-Identifier: Apache-2.0
// Checks whether runs fit the memory of their GPUs, from model cards and from the memory that
// measured runs held.
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

/// Memory check with a folder of model cards and a folder of devices. Runs are checked only when
/// both folders are given.
class MemoryFit {
 public:
  MemoryFit(std::optional<std::filesystem::path> cards,
            std::optional<std::filesystem::path> devices)
      : judges_(cards && devices), cards_(std::move(cards)), devices_(std::move(devices)) {}

  /// Returns why a run cannot run on the partition: the run needs more memory than the GPU has.
  /// Returns nothing when the run fits, when the site does not name its GPU, when the model card is
  /// missing, and when the run is not modelled. The memory that runs on GPUs hold beyond their
  /// cards comes from `measured`, unless `measured` describes another device. When `measured` is
  /// null, only the cards count.
  /// Throws base::UsageError for a GPU that is not in the folder, and base::SpecError for broken
  /// files.
  std::optional<std::string> conflict(const contract::RunSpec& run, const Partition* partition,
                                      const predict::Measurements* measured = nullptr);

  /// Returns warnings about runs that may run out of memory although they passed: the remaining
  /// memory is smaller than the prediction error, or the model card is missing.
  std::vector<std::string> notes() const;

 private:
  bool judges_;
  CardFolder cards_;
  DeviceFolder devices_;
  int close_ = 0, unjudged_ = 0;
  std::set<std::string> without_card_;  ///< models with their precision
};

}  // namespace dlscale::planner
