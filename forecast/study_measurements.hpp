// SPDX-License-Identifier: Apache-2.0
// Extracts measurements of steps, communication, loading and memory from the runs of a collected
// study.
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

// Deviation of a run's steps and ranks, from its step windows.

struct StepScatter {
  /// Standard deviation of a rank's step: for one rank from consecutive windows, for several ranks
  /// from their waiting time. 0: not recorded, or too few windows.
  double deviation_s = 0;
  /// Waiting time for the slowest rank in a step, as mean over ranks.
  double wait_s = 0;
  /// Share of the collective time before all ranks were present.
  double wait_share = 0;
};

/// Reads the launch with the most windows, without windows with one-time costs. All values are 0
/// without records of `dlscale-train`. Throws base::RunError if records cannot be read.
StepScatter step_scatter(const contract::RunDir& run, int ranks);

// Measured memory of the runs of a collected study, compared with their model cards.

class MemoryPeaks {
 public:
  /// Throws base::RunError if the folder is not collected.
  MemoryPeaks(const contract::PlanDir& folder, std::filesystem::path cards);

  /// Adds a run. Skips runs without a recorded peak or a model card. Throws base::SpecError for a
  /// broken card.
  void add(const contract::RunSpec& run, const predict::SampleShape& shape);

  /// Returns one value for runs that differ only in the repetition, with the median of their peaks.
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
  int runs = 0;                       ///< number of measured runs
  int passed_over = 0;  ///< runs without step times, or with frameworks that are not modelled
};

/// Measures the selected runs. The message size of an all-reduce is the mean of a step: bytes and
/// busy seconds of a step, without waiting for other ranks, divided by the number of messages,
/// which comes from the model card in `cards`. Runs without a card give no all-reduce and no memory
/// peak. Runs with other collectives (ZeRO from stage 1, synchronised batch norms) give no
/// all-reduce. Throws base::RunError if the folder is not collected.
StudyMeasurements study_measurements(const contract::PlanDir& folder,
                                     const workspace::SelectionChoice& runs,
                                     const std::filesystem::path& cards);

}  // namespace dlscale::forecast
