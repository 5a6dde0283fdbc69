// SPDX-License-Identifier: Apache-2.0
// Finds the format of a log by its lines.
#pragma once

#include <cstddef>
#include <string_view>

#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

/// Bytes of a log's beginning by which formats recognise it.
inline constexpr std::size_t kSampledBytes = std::size_t{64} << 10;
/// Bytes of a log that are searched for a line of a format when the beginning has none. NCCL's
/// messages (NCCL_DEBUG=INFO), module files and installers may write so much before the program
/// writes its first line.
inline constexpr std::size_t kSearchedBytes = std::size_t{32} << 20;

/// Returns the format that recognises a log with this beginning; null if none does. The text has no
/// launcher prefixes.
const LogFormat* format_of_beginning(std::string_view head);

/// Returns the format of training programs that recognises a line of a text that begins with the
/// lines of other programs; null if none does. Formats that a file's first line shows (tables, JSON
/// documents) do not take a later line for it, and books of batch systems do not count: jobs print
/// them about themselves.
const LogFormat* format_behind_other_lines(std::string_view text);

}  // namespace dlscale::analysis
