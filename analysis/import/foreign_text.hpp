// SPDX-License-Identifier: Apache-2.0
// The text of a file that another program left, compressed or not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

// Compressed files, recognised by their first bytes and decompressed block by block.

/// Returns "gzip", "xz", "bzip2" or "zstd" for a file that begins with these bytes; empty for any
/// other.
std::string_view compression_of(std::string_view bytes);

/// Receives decompressed bytes. Returns false when it needs no more.
using TakeBytes = std::function<bool(std::string_view)>;

/// Decompresses a whole file, with all its members or frames, and passes the bytes to `take`.
/// Returns false when the file is damaged or ends too early; `take` has then received what stands
/// before the damage, except that a zstd file that ends too early is not decompressed at all.
bool decompress(std::string_view bytes, const TakeBytes& take);

/// Passes at least the first `wanted` decompressed bytes to `take`, fewer where the file has fewer.
/// What stands behind them is not looked at. Returns as decompress().
bool decompress_head(std::string_view bytes, std::size_t wanted, const TakeBytes& take);

/// Returns the first `bytes` of the file's text, of a compressed file perhaps some more, without a
/// byte order mark. Returns an empty text when the file cannot be read or is binary. The text of a
/// file that is compressed with gzip, xz, bzip2 or zstd is what it decompresses to, here and in
/// read_foreign().
std::string head_of(const std::filesystem::path& path, std::size_t bytes = kSampledBytes);

/// Why a file that can be read has no text, as far as its first 64 KiB tell: it is empty, an
/// archive of files, binary or a damaged compressed file. Empty where they tell of nothing.
struct HeadProblem {
  std::string why;
  bool is_damage = false;  ///< the file is compressed and damaged, and could have been a log
};
HeadProblem head_problem_of(const std::filesystem::path& path);

/// What the system says against reading a file that is there, such as "Permission denied"; empty
/// of one that can be read.
std::string refusal_of(const std::filesystem::path& path);

struct ForeignText {
  std::string text;
  std::string sha256;          ///< of the file's bytes, compressed or not
  std::string problem;         ///< why there is no text: missing, too large, empty, binary, damaged
  bool is_unreadable = false;  ///< it is there, and may be readable later or by others
  bool is_damaged = false;     ///< it is compressed, and damaged or cut off
};
ForeignText read_foreign(const std::filesystem::path& path);

}  // namespace dlscale::analysis
