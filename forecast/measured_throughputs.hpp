// SPDX-License-Identifier: Apache-2.0
// Finds the measured throughputs that apply to runs which have not been measured.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/frame.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "predict/walltime.hpp"

namespace dlscale::forecast {

/// Throughputs of measured runs. A throughput applies to another run if both runs do the same work
/// (contract::work_hash) with the same batch: the global batch in strong scaling, the batch per GPU
/// otherwise. Points without a known batch are left out. So are curves whose points are not
/// comparable, for example because the code changed between the runs.
class MeasuredThroughputs {
 public:
  /// Returns the description of a measured run, or nothing if it cannot be read.
  using Describe = std::function<std::optional<contract::RunSpec>(const std::string& run_id)>;

  MeasuredThroughputs(const analysis::Frame& frame, const Describe& describe);

  /// Returns the throughput at the number of GPUs of `run`: the median over the repetitions of a
  /// measured point, or an estimate from other numbers of GPUs. Returns nothing if no measured run
  /// did the same work with the same batch.
  std::optional<predict::ThroughputEstimate> of(const contract::RunSpec& run) const;

  /// Returns the versions of the code of the measured runs that did the same work with the same
  /// batch as `run`. Returns an empty set if the runs recorded no version.
  std::set<std::string> code_of(const contract::RunSpec& run) const;

 private:
  struct Measured {
    std::vector<predict::Throughput> throughputs;
    std::set<std::string> code;
  };
  using Key = std::tuple<std::string, std::int64_t>;  ///< work hash and batch

  Key key_of(const contract::RunSpec& run) const;
  const Measured* find(const contract::RunSpec& run) const;

  bool is_strong_;
  std::map<Key, Measured> measured_;
};

}  // namespace dlscale::forecast
