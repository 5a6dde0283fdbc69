// SPDX-License-Identifier: Apache-2.0
// Measurements of many kinds of files and folders, gathered for one calibration.
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

/// Times of a collective other than all-reduce: by size, of one topology and placement.
using OtherCollective = std::map<std::int64_t, double>;
using PlacementKey = std::tuple<std::string, int, int>;  ///< topology, nodes, GPUs

struct GatheredMeasurements {
  contract::Calibration calibration;
  std::map<PlacementKey, OtherCollective> reduce_scatter, all_gather;
  std::vector<std::string> found;      ///< a line for each source: what it has
  std::set<PlacementKey> benchmarked;  ///< whose all-reduces come straight from a benchmark
  /// By what and in which precision these were made: "ring over mpi, fp32".
  std::map<PlacementKey, std::string> made_by;
};

struct GatherOptions {
  std::string topology;             ///< of all-reduces whose source names none
  workspace::SelectionChoice runs;  ///< of collected studies
  std::filesystem::path cards;      ///< of models: how many messages their gradients are
};

/// `source` is what `dlscale-bench comm` wrote, a calibration, output of nccl-tests (text
/// or JSON), or a plan folder that is collected. Throws base::UsageError for anything else, and for
/// measurements on another device than those before; base::SpecError for a broken file.
void gather(const std::string& source, const GatherOptions& options, GatheredMeasurements& all);

/// The fits through what was gathered, put into its calibration. Throws base::UsageError where
/// nothing was measured, or a benchmarked placement has fewer sizes than make α and β.
void fit(GatheredMeasurements& all);

}  // namespace dlscale::forecast
