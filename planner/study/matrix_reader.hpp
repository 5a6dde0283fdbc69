// SPDX-License-Identifier: Apache-2.0
// Reads what makes the runs of a study or of one of its sub-studies: axes, recipe, conditions.
#pragma once

#include <string>
#include <vector>

#include "planner/study/study.hpp"

namespace dlscale::planner {

/// The sections a matrix is read from; the nodes must outlive the reading only.
struct MatrixSections {
  config::Item matrix, training, resources;
  std::vector<config::Item> zips = {}, includes = {}, overrides = {}, exclusions = {};
};

/// `begun` has name, key, where, scaling and the trainer of its recipe; `substudies` are the names
/// of all. Throws base::SpecError with place, key and the nearest name.
Matrix read_matrix(const MatrixSections& sections, Matrix begun,
                   const std::vector<std::string>& substudies);

/// Checks the values of [matrix], [training] and [resources] that sub-studies will build on.
void check_values(const MatrixSections& sections, Matrix begun);

}  // namespace dlscale::planner
