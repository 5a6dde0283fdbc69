// SPDX-License-Identifier: Apache-2.0
// Compressed files, recognised by their first bytes and decompressed block by block.
#pragma once

#include <functional>
#include <string_view>

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
