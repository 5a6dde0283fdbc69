// SPDX-License-Identifier: Apache-2.0
// Reads the matrix of a study or of a sub-study: axes, recipe, conditions.
#pragma once

#include <string>
#include <vector>

#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Sections from which a matrix is read. The sections are not needed after the matrix has been
/// read.
struct MatrixSections {
  config::Item matrix, training, resources;
  std::vector<config::Item> zips = {}, includes = {}, overrides = {}, exclusions = {};
};

/// Reads a matrix. `begun` already contains the name, key, place and scaling of the matrix, and the
/// trainer in its recipe. `substudies` are the names of all sub-studies. Throws base::SpecError for
/// an invalid section. The error states the place, the key and the most similar valid name.
Matrix read_matrix(const MatrixSections& sections, Matrix begun,
                   const std::vector<std::string>& substudies);

/// Checks the sections [matrix], [training] and [resources] of a study with sub-studies.
/// Sub-studies are merged with these sections later. Throws base::SpecError for a wrong value.
void check_values(const MatrixSections& sections, Matrix begun);

}  // namespace dlscale::planner
