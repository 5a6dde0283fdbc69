// SPDX-License-Identifier: Apache-2.0
// Merges studies: a study over the studies that it extends, and a sub-study over its study.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml/document.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

// The following declarations read studies that extend other studies (`extends = "base.toml"`).

/// Function that returns the text of a file. Throws base::RunError.
using FileReader = std::function<std::string(const std::string& file)>;

/// Returns the document of a study merged over everything that the study extends. Each value keeps
/// the place where the value was given. The key `extends` is removed. File names are relative to
/// the folder of the file that names them. The texts of the extended files are added to `bases`.
/// Throws base::SpecError for a file that cannot be read, at the place that names the file, and for
/// a file that extends itself directly or indirectly.
config::Node read_extended(std::string_view text, const std::string& file, const FileReader& read,
                           std::vector<SourceText>& bases);

/// Merges `top` into `base`.
/// - Tables are merged key by key. Values of `top` replace values of `base`.
/// - Lists of tables (zip, include, exclude, override, substudy) are appended.
/// - A setting that `top` gives in [matrix], [[zip]] or [training] replaces the setting of that
///   name in the other sections of `base`. The setting also replaces its alternative (batch_per_gpu
///   and global_batch, …).
///
/// A value of another type in place of a table stays, and its reader rejects the value.
void overlay(config::Node& base, const config::Node& top);

}  // namespace dlscale::planner
