// SPDX-License-Identifier: Apache-2.0
// The 16-bit floating-point types, stored as bits, with conversions to and from float.
#pragma once

#include <bit>
#include <cstdint>

namespace dlscale::trainer {

/// IEEE 754 binary16. The conversions contain no branches, so that the compiler can vectorise loops
/// that convert numbers.
struct Float16 {
  std::uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value) {
    constexpr std::uint32_t kInfinity = 255U << 23;
    constexpr std::uint32_t kTooLarge = (127U + 16) << 23;        // 65536
    constexpr std::uint32_t kLeastNormal = (127U - 14) << 23;     // 2^-14
    constexpr std::uint32_t kSubnormal = (127U - 15 + 14) << 23;  // float with a last bit of 2^-24
    const auto all = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = all & 0x80000000U;
    const std::uint32_t number = all ^ sign;
    const std::uint32_t special = number > kInfinity ? 0x7e00U : 0x7c00U;
    const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(number) +
                                                             std::bit_cast<float>(kSubnormal)) -
                                kSubnormal;
    const std::uint32_t normal =
        (number - ((127U - 15) << 23) + 0xfffU + ((number >> 13) & 1U)) >> 13;
    const std::uint32_t finite = number < kLeastNormal ? small : normal;
    bits = static_cast<std::uint16_t>((number >= kTooLarge ? special : finite) | (sign >> 16));
  }
  explicit operator float() const {
    const std::uint32_t shifted = (bits & 0x7fffU) << 13;
    const std::uint32_t exponent = shifted & (0x1fU << 23);
    const std::uint32_t rebased = shifted + ((127U - 15) << 23);
    const std::uint32_t special = rebased + ((128U - 16) << 23);
    constexpr std::uint32_t kLeastNormal = (127U - 14) << 23;
    const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rebased + (1U << 23)) -
                                                    std::bit_cast<float>(kLeastNormal));
    const std::uint32_t finite = exponent == 0 ? small : rebased;
    const std::uint32_t number = exponent == (0x1fU << 23) ? special : finite;
    return std::bit_cast<float>(number | ((bits & 0x8000U) << 16));
  }
};

/// The number format bfloat16, which is the upper half of a float.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) {
    const auto all = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (all + 0x7fffU + ((all >> 16) & 1U)) >> 16;
    const bool nan = (all & 0x7fffffffU) > (255U << 23);
    bits = static_cast<std::uint16_t>(nan ? 0x7fc0U : rounded);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

}  // namespace dlscale::trainer
