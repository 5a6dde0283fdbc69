// SPDX-License-Identifier: Apache-2.0
// The names conditions on points may use, and what they stand for at one point after another.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "planner/study/derive.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Fills in the matrix' symbols and constants: the axes, every other setting that is one value, the
/// sub-study where the study has some. `parameters` are those of [training].
void name_values(Matrix& matrix, const std::vector<Setting>& parameters,
                 const std::vector<std::string>& substudies);

/// Made once for a matrix, moved from point to point: no value is copied on the way.
class PointValues {
 public:
  /// Both must outlive this.
  PointValues(const Matrix& matrix, const std::string& uneven_batch);
  PointValues(const PointValues&) = delete;
  PointValues& operator=(const PointValues&) = delete;

  /// To the point with these indices of axis values, as the study has it without overrides.
  void move_to(const std::vector<std::uint32_t>& values);
  /// What an override changes is seen from then on.
  void apply(const Override& override);
  /// In the order of the matrix' symbols; batches that the study does not give are derived.
  std::span<const config::Value* const> all() const { return values_; }
  int gpus() const { return static_cast<int>(std::get<double>(*values_[gpus_])); }
  /// As they follow from what is given.
  const Batches& batches() const { return batches_; }

 private:
  std::size_t index_of(const std::string& name) const;
  void derive_batches();

  const Matrix& matrix_;
  const std::string& uneven_batch_;
  std::vector<const config::Value*> values_;
  std::size_t gpus_, per_gpu_, global_, most_per_gpu_, steps_;  // indices of names
  Batches batches_;
  std::array<config::Value, 3> derived_;  // of per_gpu_, global_, steps_ where not given
};

}  // namespace dlscale::planner
