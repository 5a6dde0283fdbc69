// SPDX-License-Identifier: Apache-2.0
// Studies that extend others: `extends = "base.toml"` and what comes of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml/document.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// The text of a file. Throws base::RunError.
using FileReader = std::function<std::string(const std::string& file)>;

/// The document of a study over all it extends, each value with the place it comes from, without
/// the key `extends`. The files are named relative to the one that names them; their texts are
/// added to `bases`. Throws base::SpecError for a file that cannot be read, at the place that names
/// it, and for one that extends itself in the end.
config::Node read_extended(std::string_view text, const std::string& file, const FileReader& read,
                           std::vector<SourceText>& bases);

}  // namespace dlscale::planner
