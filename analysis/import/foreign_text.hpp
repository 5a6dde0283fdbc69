// SPDX-License-Identifier: Apache-2.0
// Reads the text of third-party files, compressed or not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

// Functions that decompress a file block by block. The first bytes of the file determine the type
// of compression.

/// Returns "gzip", "xz", "bzip2" or "zstd" according to the first bytes of a file, or an empty text
/// for any other file.
std::string_view compression_of(std::string_view bytes);

/// Receives decompressed bytes. Returns false to stop the decompression.
using ConsumeBytes = std::function<bool(std::string_view)>;

/// Decompresses a whole file with all its members or frames and passes the bytes to `consume`.
/// Returns false if the file is damaged or truncated. `consume` has then received the data before
/// the damage, except for a truncated zstd file, which is not decompressed at all.
bool decompress(std::string_view bytes, const ConsumeBytes& consume);

/// Passes at least the first `wanted` decompressed bytes to `consume`, or all bytes of a shorter
/// file. The rest of the file is not checked for damage. Returns false if the checked part is
/// damaged.
bool decompress_head(std::string_view bytes, std::size_t wanted, const ConsumeBytes& consume);

/// Returns the first `bytes` bytes of the file's text without a byte order mark. A compressed file
/// may yield more bytes. Returns an empty text if the file cannot be read or is binary. This
/// function and read_foreign() decompress gzip, xz, bzip2 and zstd files.
std::string head_of(const std::filesystem::path& path, std::size_t bytes = kSampledBytes);

/// Reason why a readable file has no text: the file is empty, binary, an archive or a damaged
/// compressed file. Only the first 64 KiB of the file are examined. The reason is empty if no
/// problem was found.
struct HeadProblem {
  std::string why;
  bool is_damage = false;  ///< true if the file is compressed and damaged
};
HeadProblem head_problem_of(const std::filesystem::path& path);

/// Returns the system's error message, such as "Permission denied", if the file cannot be read.
/// Returns an empty text for a readable file.
std::string refusal_of(const std::filesystem::path& path);

struct ForeignText {
  std::string text;
  std::string sha256;          ///< SHA-256 of the file as stored, compressed or not
  std::string problem;         ///< reason why there is no text, such as an empty or damaged file
  bool is_unreadable = false;  ///< true if the file exists, but cannot be read
  bool is_damaged = false;     ///< true if the file is compressed and is damaged or truncated
};
ForeignText read_foreign(const std::filesystem::path& path);

}  // namespace dlscale::analysis
