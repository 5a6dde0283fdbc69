// SPDX-License-Identifier: Apache-2.0
// Extracts measurements of steps, communication, loading and memory from the runs of a collected
// study.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "contract/records/calibration.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/data_folders.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

// Variation between the steps and the ranks of a run, from its step windows.

struct StepScatter {
  /// Standard deviation of the time of a rank's step. For one rank, the deviation is computed from
  /// consecutive windows. For several ranks, it is computed from their waiting time. 0 means that
  /// nothing was recorded, or that there are too few windows.
  double deviation_s = 0;
  /// Seconds of a step that a rank waits for the slowest rank, mean over the ranks.
  double wait_s = 0;
  /// Share of the time of collectives that passes before all ranks have arrived.
  double wait_share = 0;
};

/// Returns the variation in the launch with the most windows. Windows with one-time costs are left
/// out. All values are 0 without records of `dlscale-train`. Throws base::RunError if records
/// cannot be read.
StepScatter step_scatter(const contract::RunDir& run, int ranks);

// Measured memory of the runs of a collected study, next to the memory that their model cards
// estimate.

class MemoryPeaks {
 public:
  /// Reads the recorded peaks of all runs. Throws base::RunError if the folder is not collected.
  MemoryPeaks(const contract::PlanDir& folder, planner::CardFolder& cards);

  /// Adds a run whose samples have the shape `input`. Skips runs without a recorded peak or a model
  /// card. Throws base::SpecError for a broken card.
  void add(const contract::RunSpec& run, const std::vector<std::int64_t>& input);

  /// Returns one entry for each group of runs that differ only in the repetition, with the median
  /// of the peaks of the group.
  std::vector<contract::MemoryPeak> middles() const;

 private:
  struct Repeats {
    contract::MemoryPeak of;
    std::vector<double> peaks;
  };
  planner::CardFolder& cards_;
  /// Recorded peak in bytes by run id.
  std::map<std::string, double> measured_;
  std::vector<Repeats> groups_;
};

struct StudyMeasurements {
  /// Measurements: compute, exchange, loading, all_reduce, memory, device.
  contract::Calibration calibration;
  int runs = 0;  ///< number of measured runs
  /// Number of skipped runs: runs without step times, and runs with framework styles whose steps
  /// are not predicted.
  int passed_over = 0;
};

/// Measures the selected runs:
/// - The size of an all-reduce is the number of bytes reduced in a step divided by the number of
///   messages. Its time is the busy time of a step, without waiting for other ranks, divided by the
///   number of messages.
/// - The number of messages comes from the model card in `cards`. Runs without a card give no
///   all-reduce and no memory peak.
/// - Runs with other collectives (ZeRO from stage 1, synchronised batch norms) give no all-reduce.
/// Throws base::RunError if the folder is not collected.
StudyMeasurements study_measurements(const contract::PlanDir& folder,
                                     const workspace::SelectionChoice& runs,
                                     const std::filesystem::path& cards);

}  // namespace dlscale::forecast
