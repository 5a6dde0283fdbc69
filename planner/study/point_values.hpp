// SPDX-License-Identifier: Apache-2.0
// Provides the names that conditions on points may use, and their values at each point.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "planner/study/derive.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Sets the names that conditions may use, and the values of names that are not axes:
/// matrix.symbols and matrix.constants. The names are the axes, all other settings with a single
/// value, and `substudy` if the study has sub-studies. `parameters` are the free parameters of
/// [training].
void name_values(Matrix& matrix, const std::vector<Setting>& parameters,
                 const std::vector<std::string>& substudies);

/// Values at a point of the names that conditions may use. One object serves all points of a matrix
/// and moves from point to point without copying values.
class PointValues {
 public:
  /// Stores references to both arguments, which must outlive this object.
  PointValues(const Matrix& matrix, const std::string& uneven_batch);
  PointValues(const PointValues&) = delete;
  PointValues& operator=(const PointValues&) = delete;

  /// Moves to the point with these indices of axis values. The values do not contain overrides yet.
  void move_to(const std::vector<std::uint32_t>& values);
  /// Applies an override to the values of the current point.
  void apply(const Override& override);
  /// Returns the values in the order of the matrix's symbols. Batches that the study does not give
  /// are derived.
  std::span<const config::Value* const> all() const { return values_; }
  int gpus() const { return static_cast<int>(std::get<double>(*values_[gpus_])); }
  /// Returns the batches at the current point.
  const Batches& batches() const { return batches_; }

 private:
  std::size_t index_of(const std::string& name) const;
  void derive_batches();

  const Matrix& matrix_;
  const std::string& uneven_batch_;
  std::vector<const config::Value*> values_;
  // Indices in matrix.symbols of the GPU count and of the settings for batches.
  std::size_t gpus_, per_gpu_, global_, most_per_gpu_, steps_;
  Batches batches_;
  std::array<config::Value, 3> derived_;  // derived values of per_gpu_, global_ and steps_
};

}  // namespace dlscale::planner
