// SPDX-License-Identifier: Apache-2.0
// Reads the matrix of a study or of a sub-study: axes, recipe, conditions.
#pragma once

#include <string>
#include <vector>

#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Sections from which a matrix is read. The nodes must exist only while the matrix is read.
struct MatrixSections {
  config::Item matrix, training, resources;
  std::vector<config::Item> zips = {}, includes = {}, overrides = {}, exclusions = {};
};

/// Reads a matrix. `begun` has name, key, where, scaling and the trainer of its recipe.
/// `substudies` are the names of all sub-studies. Throws base::SpecError with place, key and the
/// nearest name.
Matrix read_matrix(const MatrixSections& sections, Matrix begun,
                   const std::vector<std::string>& substudies);

/// Checks the values of [matrix], [training] and [resources] that sub-studies extend.
void check_values(const MatrixSections& sections, Matrix begun);

}  // namespace dlscale::planner
