// SPDX-License-Identifier: Apache-2.0
// Reads a TOML file with regular expressions for the lines of a log.
#pragma once

#include <filesystem>

#include "analysis/import/import_logs.hpp"

namespace dlscale::workspace {

/// Returns the regular expressions of a TOML file (docs/importing.md). Throws base::SpecError with
/// the position of an error.
analysis::MappedFormat read_pattern_file(const std::filesystem::path& file);

}  // namespace dlscale::workspace
