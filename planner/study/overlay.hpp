// SPDX-License-Identifier: Apache-2.0
// One study over another: what a study says over what it extends, a sub-study over its study.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml/document.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

// Studies that extend others: `extends = "base.toml"` and what comes of it.

/// The text of a file. Throws base::RunError.
using FileReader = std::function<std::string(const std::string& file)>;

/// The document of a study over all it extends, each value with the place it comes from, without
/// the key `extends`. The files are named relative to the one that names them; their texts are
/// added to `bases`. Throws base::SpecError for a file that cannot be read, at the place that names
/// it, and for one that extends itself in the end.
config::Node read_extended(std::string_view text, const std::string& file, const FileReader& read,
                           std::vector<SourceText>& bases);

/// Tables are merged key by key, where `top` replaces what `base` has; lists of tables (zip,
/// include, exclude, override, substudy) are appended. A setting that `top` gives in [matrix],
/// [[zip]] or [training] replaces the base's of that name in the others, too, and its alternative
/// (batch_per_gpu and global_batch, …). What is no table where one belongs is left for its reader
/// to refuse.
void overlay(config::Node& base, const config::Node& top);

}  // namespace dlscale::planner
