// SPDX-License-Identifier: Apache-2.0
// The checksum of record files and checkpoints: the CRC-32 of zlib, gzip and PNG.
#pragma once

#include <cstdint>
#include <span>

namespace dlscale::images {

/// Of `bytes`; with `before`, the checksum of what came before them, of both together.
std::uint32_t checksum(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

}  // namespace dlscale::images
