// SPDX-License-Identifier: Apache-2.0
// Reads a study file. docs/study-format.md describes every key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/study/overlay.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Returns the text of a file. Throws base::RunError if the file cannot be read.
std::string read_from_disk(const std::string& file);

/// Returns the study that `text` (TOML) describes. `overrides` are `-S` arguments. `read` returns
/// the texts of the files that the study extends. Throws base::SpecError for an invalid text. The
/// error states the place, the key and the most similar valid name.
Study read_study(std::string_view text, const std::string& file,
                 const std::vector<std::string>& overrides,
                 const FileReader& read = read_from_disk);

}  // namespace dlscale::planner
