// SPDX-License-Identifier: Apache-2.0
// A TOML file with the regular expressions of a log's lines.
#pragma once

#include <filesystem>

#include "analysis/import/import_logs.hpp"

namespace dlscale::workspace {

/// The regular expressions of a TOML file (docs/importing.md). Throws base::SpecError with the
/// place of what is wrong.
analysis::MappedFormat read_pattern_file(const std::filesystem::path& file);

}  // namespace dlscale::workspace
