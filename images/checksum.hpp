// SPDX-License-Identifier: Apache-2.0
// Computes the checksum of record files and checkpoints, which is the CRC-32 of zlib, gzip and PNG.
#pragma once

#include <cstdint>
#include <span>

namespace dlscale::images {

/// Returns the checksum of `bytes`. If `before` is the checksum of preceding bytes, returns the
/// checksum of the preceding bytes followed by `bytes`.
std::uint32_t checksum(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

}  // namespace dlscale::images
