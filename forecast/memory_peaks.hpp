// SPDX-License-Identifier: Apache-2.0
// What the runs of a collected study held of memory, beside what their models' cards say.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "contract/records/calibration.hpp"
#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "predict/workload.hpp"

namespace dlscale::forecast {

class MemoryPeaks {
 public:
  /// Throws base::RunError where the folder is not collected.
  MemoryPeaks(const contract::PlanDir& folder, std::filesystem::path cards);

  /// Nothing is added where the records do not say the peak, or there is no card of the model.
  /// Throws base::SpecError for a broken card.
  void add(const contract::RunSpec& run, const predict::SampleShape& shape);

  /// One for the runs that are equal but for their repetition, with the middle of their peaks.
  std::vector<contract::MemoryPeak> middles() const;

 private:
  const contract::ModelCard* card_of(const contract::RunSpec& run,
                                     const predict::SampleShape& shape);

  struct Repeats {
    contract::MemoryPeak of;
    std::vector<double> peaks;
  };
  std::filesystem::path cards_;
  std::map<std::string, double> measured_;                                 ///< by run
  std::map<std::string, std::optional<contract::ModelCard>> known_cards_;  ///< by file name
  std::vector<Repeats> groups_;
};

}  // namespace dlscale::forecast
