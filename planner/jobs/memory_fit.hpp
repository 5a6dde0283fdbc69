// SPDX-License-Identifier: Apache-2.0
// Whether runs fit the memory of the GPUs that they get, by the cards of their models and what runs
// held that were measured.
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

/// Folders of model cards and of devices; without either nothing is judged.
class MemoryFit {
 public:
  MemoryFit(std::optional<std::filesystem::path> cards,
            std::optional<std::filesystem::path> devices)
      : judges_(cards && devices), cards_(std::move(cards)), devices_(std::move(devices)) {}

  /// Why a run cannot run there: it needs more than the GPU has. Empty where it fits, where the
  /// site does not name its GPU, and where there is no card or the run is not modelled. What runs
  /// on GPUs held beyond their cards comes of `measured`, unless that is of another device; null:
  /// cards alone count. Throws base::UsageError for a GPU that is not in the folder,
  /// base::SpecError for broken files.
  std::optional<std::string> misfit(const contract::RunSpec& run, const Partition* partition,
                                    const predict::Measurements* measured = nullptr);

  /// What of the runs that fit may not fit after all: less than the predictions' error is left, or
  /// there is no card to judge them by.
  std::vector<std::string> notes() const;

 private:
  bool judges_;
  CardFolder cards_;
  DeviceFolder devices_;
  int close_ = 0, unjudged_ = 0;
  std::set<std::string> without_card_;  ///< models with their precision
};

}  // namespace dlscale::planner
