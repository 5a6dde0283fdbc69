// SPDX-License-Identifier: Apache-2.0
// Reads the axes of a study and how they combine: [matrix], [[zip]] and [[include]].
#pragma once

#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Each adds to the matrix, whose recipe must know the study's trainer already; [matrix] comes
/// before [[zip]], both before [[include]]. Throw base::SpecError.
void read_axes(const config::Item& section, Matrix& matrix);
void read_zip(const config::Item& zip, Matrix& matrix);
void read_include(const config::Item& include, Matrix& matrix);

}  // namespace dlscale::planner
