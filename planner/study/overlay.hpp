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

/// Function that returns the text of a file. Throws base::RunError if the file cannot be read.
using FileReader = std::function<std::string(const std::string& file)>;

/// Returns the document of a study, merged with everything that the study extends. For error
/// messages, each value keeps the place at which a file gave it. The key `extends` is removed.
/// Relative file names are relative to the folder of the file that contains them. The texts of the
/// extended files are appended to `bases`. Throws base::SpecError in these cases:
/// - A file cannot be read. The error is at the place that names the file.
/// - A file extends itself, directly or through other files.
config::Node read_extended(std::string_view text, const std::string& file, const FileReader& read,
                           std::vector<SourceText>& bases);

/// Merges `top` into `base`.
/// - Tables are merged key by key. Values of `top` replace values of `base`.
/// - Lists of tables (zip, include, exclude, override, substudy) are appended. A sub-study with the
///   name of a sub-study of `base` is merged into that sub-study in the same way.
/// - If `top` gives a setting in [matrix], [[zip]] or [training], the setting is removed from the
///   other sections and from the zips of `base`. Its alternative is removed too (batch_per_gpu and
///   global_batch are alternatives, for example).
///
/// If a document has a value of another type in place of a table, the value stays in the result.
/// The reader of the section later rejects it.
void overlay(config::Node& base, const config::Node& top);

}  // namespace dlscale::planner
