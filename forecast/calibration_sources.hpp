// SPDX-License-Identifier: Apache-2.0
// Collects measurements from files and folders for one calibration.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "contract/records/calibration.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

/// Times in seconds of a collective other than all-reduce, by message size in bytes, for one
/// topology and placement.
using OtherCollective = std::map<std::int64_t, double>;
using PlacementKey = std::tuple<std::string, int, int>;  ///< key: topology, nodes, GPUs

struct GatheredMeasurements {
  contract::Calibration calibration;
  std::map<PlacementKey, OtherCollective> reduce_scatter, all_gather;
  std::vector<std::string> found;      ///< one line per source that describes its measurements
  std::set<PlacementKey> benchmarked;  ///< placements whose all-reduces come from a benchmark
  /// Algorithm, communicator and precision of the all-reduces of a placement, for example "ring
  /// over mpi, fp32".
  std::map<PlacementKey, std::string> made_by;
};

struct GatherOptions {
  std::string topology;             ///< topology for all-reduces of sources that do not record one
  workspace::SelectionChoice runs;  ///< selection of runs in collected studies
  /// Folder of model cards, which give the number of messages per step.
  std::filesystem::path cards;
};

/// Adds a source: output of `dlscale-bench comm`, a calibration, output of nccl-tests (text or
/// JSON), or a collected plan folder. Throws base::UsageError for other sources and for
/// measurements from another device, and base::SpecError for a broken file.
void gather(const std::string& source, const GatherOptions& options, GatheredMeasurements& all);

/// Fits the collected measurements and stores the fits in the calibration. Throws base::UsageError
/// if there are no measurements, or if a benchmarked placement has too few sizes for α and β.
void fit(GatheredMeasurements& all);

}  // namespace dlscale::forecast
