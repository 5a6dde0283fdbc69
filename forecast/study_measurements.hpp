// SPDX-License-Identifier: Apache-2.0
// What the runs of a collected study measured of steps, exchange, loading and memory.
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
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

// What the step windows of a run say of how far its steps, and its ranks, were apart.

struct StepScatter {
  /// Of a rank's step: of one rank alone as its windows follow each other, of several as what they
  /// waited for the slowest of them makes it. 0: not recorded, or too few windows.
  double deviation_s = 0;
  /// Of a step, mean over ranks: what stood still until the slowest rank was there.
  double wait_s = 0;
  /// Of the time in which collectives were under way the share until all ranks were there.
  double wait_share = 0;
};

/// Of the launch with most windows, those with one-time costs left out. All 0 where there are no
/// records of `dlscale-train`. Throws base::RunError where they cannot be read.
StepScatter step_scatter(const contract::RunDir& run, int ranks);

// What the runs of a collected study held of memory, beside what their models' cards say.

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

struct StudyMeasurements {
  contract::Calibration calibration;  ///< compute, exchange, loading, all_reduce, memory, device
  int runs = 0;                       ///< that they are of
  int passed_over = 0;  ///< without step times, or of frameworks that are not modelled
};

/// Of the chosen runs. An all-reduce's message is the mean one of a step: bytes and busy seconds of
/// a step, without waiting for other ranks, by the number of messages, as the model's card in
/// `cards` has it. None without a card,
/// and of runs whose collectives are others too: ZeRO from stage 1 on, synchronised batch norms.
/// Without a card there is no peak of memory either.
/// Throws base::RunError where the folder is not collected.
StudyMeasurements study_measurements(const contract::PlanDir& folder,
                                     const workspace::SelectionChoice& runs,
                                     const std::filesystem::path& cards);

}  // namespace dlscale::forecast
