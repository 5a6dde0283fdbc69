// SPDX-License-Identifier: Apache-2.0
// Computes the checksum of TFRecord files, which is CRC-32C (Castagnoli) in a masked form.
#pragma once

#include <cstdint>
#include <span>

namespace dlscale::images {

/// Returns the CRC-32C of `bytes` (RFC 3720, appendix B.4).
std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

/// Returns the CRC-32C of `bytes` as TFRecord files store it: rotated right by 15 bits, plus a
/// constant. TensorFlow masks checksums because the CRC of data that contain CRCs is less reliable.
std::uint32_t masked_crc32c(std::span<const std::uint8_t> bytes);

}  // namespace dlscale::images
