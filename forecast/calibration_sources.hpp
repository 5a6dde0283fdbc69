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

/// Times of a collective other than all-reduce, by size, for one topology and placement.
using OtherCollective = std::map<std::int64_t, double>;
using PlacementKey = std::tuple<std::string, int, int>;  ///< topology, nodes, GPUs

struct GatheredMeasurements {
  contract::Calibration calibration;
  std::map<PlacementKey, OtherCollective> reduce_scatter, all_gather;
  std::vector<std::string> found;      ///< one line per source with its content
  std::set<PlacementKey> benchmarked;  ///< placements with all-reduces from a benchmark
  /// Algorithm, communicator and precision: "ring over mpi, fp32".
  std::map<PlacementKey, std::string> made_by;
};

struct GatherOptions {
  std::string topology;             ///< topology of all-reduces from sources without one
  workspace::SelectionChoice runs;  ///< selection of runs in collected studies
  std::filesystem::path cards;      ///< model cards, for the number of gradient messages
};

/// Adds a source: output of `dlscale-bench comm`, a calibration, output of nccl-tests (text or
/// JSON), or a collected plan folder. Throws base::UsageError for other sources and for
/// measurements from another device, and base::SpecError for a broken file.
void gather(const std::string& source, const GatherOptions& options, GatheredMeasurements& all);

/// Fits the collected measurements and stores the fits in the calibration. Throws base::UsageError
/// if there are no measurements, or if a benchmarked placement has too few sizes for α and β.
void fit(GatheredMeasurements& all);

}  // namespace dlscale::forecast
