// SPDX-License-Identifier: Apache-2.0
// Reads format files that contain a column map or patterns instead of rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/import/mapped/mapped_format.hpp"

namespace dlscale::analysis {

struct MappedFile {
  std::string name;  ///< name that the file states, or else the kind of the format
  MappedFormat format;
};

/// Parses a file with the keys `line` and `factor` (patterns), or `columns`, `kind` and `decimal`
/// (a column map). Both kinds may have the keys of RowCounts. Returns nothing for a file with
/// rules. Throws base::SpecError with the place of an error.
std::optional<MappedFile> parse_mapped_format(std::string_view text, const std::string& file);

/// Parses a file with patterns. Throws base::SpecError for an error and for any other file.
MappedFormat parse_pattern_file(std::string_view text, const std::string& file);

}  // namespace dlscale::analysis
