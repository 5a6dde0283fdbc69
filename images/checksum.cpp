// SPDX-License-Identifier: Apache-2.0
#include "images/checksum.hpp"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace dlscale::images {
namespace {

std::uint32_t by_zlib(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(before, bytes.data(), bytes.size()));
}

#if defined(__x86_64__)

constexpr std::size_t kBlock = 64;
constexpr std::size_t kLane = 16;

/// `x` moved forward over `next`: both halves times a power of the polynomial's variable.
__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i x, __m128i power,
                                                             __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(x, power, 0x00);
  const __m128i high = _mm_clmulepi64_si128(x, power, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/// Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ (Intel, 2009): four
/// lanes are moved over 64 bytes at a time and joined to one. What 16 bytes then stand for all that
/// was read is left to zlib, as are the bytes behind the last whole block.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t by_folding(
    std::span<const std::uint8_t> bytes, std::uint32_t before) {
  const __m128i over_block = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
  const __m128i over_lane = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  const auto* in = reinterpret_cast<const __m128i*>(bytes.data());
  const auto* const end = in + bytes.size() / kBlock * (kBlock / kLane);
  __m128i x0 = _mm_loadu_si128(in), x1 = _mm_loadu_si128(in + 1);
  __m128i x2 = _mm_loadu_si128(in + 2), x3 = _mm_loadu_si128(in + 3);
  x0 = _mm_xor_si128(x0, _mm_cvtsi32_si128(static_cast<int>(~before)));
  for (in += 4; in != end; in += 4) {
    x0 = fold(x0, over_block, _mm_loadu_si128(in));
    x1 = fold(x1, over_block, _mm_loadu_si128(in + 1));
    x2 = fold(x2, over_block, _mm_loadu_si128(in + 2));
    x3 = fold(x3, over_block, _mm_loadu_si128(in + 3));
  }
  x0 = fold(fold(fold(x0, over_lane, x1), over_lane, x2), over_lane, x3);
  std::uint8_t folded[kLane];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(folded), x0);
  constexpr std::uint32_t kStateZero = 0xffffffff;  // zlib inverts it
  return by_zlib(bytes.subspan(bytes.size() / kBlock * kBlock), by_zlib(folded, kStateZero));
}

bool can_fold() {
  return __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
}

#else

constexpr std::size_t kBlock = 64;
std::uint32_t by_folding(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  return by_zlib(bytes, before);
}
bool can_fold() {
  return false;
}

#endif

}  // namespace

std::uint32_t checksum(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  static const bool folds = can_fold();
  return folds && bytes.size() >= kBlock ? by_folding(bytes, before) : by_zlib(bytes, before);
}

}  // namespace dlscale::images
