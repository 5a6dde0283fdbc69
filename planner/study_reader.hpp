// SPDX-License-Identifier: Apache-2.0
// Reads a study file; docs/study-format.md describes every key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/study.hpp"

namespace dlscale::planner {

/// `overrides` are `-S` arguments. Throws base::SpecError with place, key and the nearest name.
Study read_study(std::string_view text, const std::string& file,
                 const std::vector<std::string>& overrides);

}  // namespace dlscale::planner
