// SPDX-License-Identifier: Apache-2.0
// Reads format files that contain a column map or patterns instead of rules.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/mapped/mapped_format.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {

struct MappedFile {
  std::string name;  ///< name that the file states, or else the kind of the format
  MappedFormat format;
  std::vector<base::Location> places;  ///< places of the patterns, in the order of the patterns
};

/// Parses a file with the keys `line` and `factor` (patterns), or `columns`, `kind` and `decimal`
/// (a column map). Both kinds may have the keys of RowCounts. Returns nothing for a file with
/// rules. Throws base::SpecError with the place of an error.
std::optional<MappedFile> parse_mapped_format(std::string_view text, const std::string& file);

/// Parses a file with patterns. Throws base::SpecError for an error and for any other file.
MappedFile parse_pattern_file(std::string_view text, const std::string& file);

/// Returns a warning for each pattern that reads no line, and for each pattern that reads lines but
/// has named groups that never match, with the place of the pattern. `unused` contains the indices
/// of RowReader::unused_patterns().
std::vector<std::string> describe_unused(const MappedFile& mapped,
                                         const std::set<std::size_t>& unused);

}  // namespace dlscale::analysis
