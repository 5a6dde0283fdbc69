// SPDX-License-Identifier: Apache-2.0
// Implements the inner loops over pixels with AVX2 and selects them if the processor supports AVX2.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "images/kernels.hpp"

namespace dlscale::images {
namespace {

#define DLSCALE_AVX2 __attribute__((target("avx2")))

constexpr int kStep = 4;    ///< number of old pixels per load of 16 bytes, of which 12 are used
constexpr char kNone = -1;  ///< shuffle index that produces a zero byte
constexpr int kLoadBytes = 16;

/// Returns the shuffle that reads the first two pixels of 16 bytes as pairs of 16-bit values: red
/// and red, green and green, blue and blue.
DLSCALE_AVX2 inline __m256i first_pair() {
  return _mm256_broadcastsi128_si256(_mm_setr_epi8(0, kNone, 3, kNone, 1, kNone, 4, kNone, 2, kNone,
                                                   5, kNone, kNone, kNone, kNone, kNone));
}
/// Returns the shuffle that reads the third and fourth pixel of 16 bytes as pairs of 16-bit values,
/// in the same order as first_pair().
DLSCALE_AVX2 inline __m256i second_pair() {
  return _mm256_broadcastsi128_si256(_mm_setr_epi8(6, kNone, 9, kNone, 7, kNone, 10, kNone, 8,
                                                   kNone, 11, kNone, kNone, kNone, kNone, kNone));
}

DLSCALE_AVX2 inline __m256i two_loads(const std::uint8_t* low, const std::uint8_t* high) {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

/// Returns a vector of 16-bit values that repeats the two weights.
DLSCALE_AVX2 inline __m256i two_weights(const std::int16_t* weights) {
  std::int32_t both;
  std::memcpy(&both, weights, sizeof both);
  return _mm256_set1_epi32(both);
}

/// Number of new pixels per store of 16 bytes, of which 12 are used.
constexpr std::size_t kAtOnce = 4;

/// Returns the red, green and blue sums of one new pixel in each of two rows. The template argument
/// `taps` is 4 or 0. If it is 0, `any_taps` is the number of taps.
template <int taps>
DLSCALE_AVX2 inline __m256i sum_pixel(const std::uint8_t* low, const std::uint8_t* high,
                                      const std::int16_t* weights, int any_taps) {
  const __m256i pairs[2] = {first_pair(), second_pair()};
  __m256i sum = _mm256_setzero_si256();
  for (int k = 0; k < (taps > 0 ? taps : any_taps); k += kStep) {
    const __m256i bytes = two_loads(low + k * kColours, high + k * kColours);
    const __m256i products[2] = {
        _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, pairs[0]), two_weights(weights + k)),
        _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, pairs[1]), two_weights(weights + k + 2))};
    sum = _mm256_add_epi32(sum, _mm256_add_epi32(products[0], products[1]));
  }
  return sum;
}

/// Computes new pixels [0, count) of two rows at the same time. `count` must be a multiple of
/// kAtOnce. Reads both rows in whole loads of 16 bytes.
template <int taps>
DLSCALE_AVX2 void along_two_rows(const std::uint8_t* low, const std::uint8_t* high,
                                 const Filter& filter, std::size_t count,
                                 std::uint8_t* const out[2]) {
  const __m256i half = _mm256_set1_epi32(1 << filter.bits >> 1);
  const __m128i bits = _mm_cvtsi32_si128(filter.bits);
  const __m256i close_up = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, kNone, kNone, kNone, kNone));
  const std::int16_t* weights = filter.weights.data();
  for (std::size_t i = 0; i < count; i += kAtOnce) {
    __m256i sums[kAtOnce];
    for (std::size_t p = 0; p < kAtOnce; ++p, weights += filter.taps) {
      const std::ptrdiff_t first = std::ptrdiff_t{kColours} * filter.first[i + p];
      const __m256i sum = sum_pixel<taps>(low + first, high + first, weights, filter.taps);
      sums[p] = _mm256_sra_epi32(_mm256_add_epi32(sum, half), bits);
    }
    const __m256i pixels = _mm256_packus_epi16(_mm256_packs_epi32(sums[0], sums[1]),
                                               _mm256_packs_epi32(sums[2], sums[3]));
    const __m256i bytes = _mm256_shuffle_epi8(pixels, close_up);
    const std::size_t at = kColours * i;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out[0] + at), _mm256_castsi256_si128(bytes));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out[1] + at), _mm256_extracti128_si256(bytes, 1));
  }
}

/// Returns the number of new pixels that can be computed with loads of 16 bytes, if `bytes` bytes
/// from the start of the row can be read.
std::size_t loadable(const Filter& filter, std::ptrdiff_t bytes) {
  std::size_t count = filter.size();
  const std::ptrdiff_t last = kColours * (filter.taps - kStep) + kLoadBytes;
  while (count > 0 && std::ptrdiff_t{kColours} * filter.first[count - 1] + last > bytes) --count;
  return count;
}

/// Computes new pixels [from, filter.size()) of one row without SIMD.
void finish_row(const PictureView& row, const Filter& filter, std::size_t from, std::uint8_t* out) {
  for (std::size_t i = from; i < filter.size(); ++i) {
    const Filter one{filter.taps,
                     filter.bits,
                     {filter.first[i]},
                     {filter.count[i]},
                     {filter.weights.begin() + static_cast<std::ptrdiff_t>(i) * filter.taps,
                      filter.weights.begin() + static_cast<std::ptrdiff_t>(i + 1) * filter.taps}};
    portable_kernels().along_rows(row, one, out + i * kColours, 0);
  }
}

/// Filters two rows at a time. Loads beyond the end of a row read bytes of the rows below. The last
/// pixels of the last rows are computed without SIMD, because too few bytes follow.
DLSCALE_AVX2 void along_rows(const PictureView& from, const Filter& filter, std::uint8_t* out,
                             std::ptrdiff_t out_row_bytes) {
  for (int y = 0; y < from.height; y += 2) {
    const int other = std::min(y + 1, from.height - 1);
    const std::ptrdiff_t below = (from.height - 1 - other) * from.row_bytes;
    const std::size_t count =
        loadable(filter, below + std::ptrdiff_t{kColours} * from.width) / kAtOnce * kAtOnce;
    std::uint8_t* const to[2] = {out + y * out_row_bytes, out + other * out_row_bytes};
    const auto along = filter.taps == kStep ? along_two_rows<kStep> : along_two_rows<0>;
    along(from.row(y), from.row(other), filter, count, to);
    for (int row = y; row <= other && count < filter.size(); ++row) {
      finish_row(from.part({row, 0, 1, from.width}), filter, count, out + row * out_row_bytes);
    }
  }
}

DLSCALE_AVX2 void down_columns(const PictureView& from, const Filter& filter, std::size_t i,
                               std::ptrdiff_t bytes, std::uint8_t* out) {
  constexpr std::ptrdiff_t kBytes = 32;
  const std::int16_t* const weights = &filter.weights[i * static_cast<std::size_t>(filter.taps)];
  const std::uint8_t* const first = from.row(filter.first[i]);
  const int count = filter.count[i];
  const __m256i zero = _mm256_setzero_si256();
  const __m256i half = _mm256_set1_epi32(1 << filter.bits >> 1);
  const __m128i bits = _mm_cvtsi32_si128(filter.bits);
  std::ptrdiff_t x = 0;
  for (; x + kBytes <= bytes; x += kBytes) {
    __m256i sums[4] = {half, half, half, half};
    for (int k = 0; k < count; k += 2) {
      const std::uint8_t* const row = first + k * from.row_bytes + x;
      const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
      // If `count` is odd, the last weight is 0 and the row for this weight may not exist.
      const __m256i b =
          k + 1 < count ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + from.row_bytes))
                        : zero;
      const __m256i pair = two_weights(weights + k);
      const __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
      const __m256i parts[4] = {_mm256_unpacklo_epi8(low, zero), _mm256_unpackhi_epi8(low, zero),
                                _mm256_unpacklo_epi8(high, zero), _mm256_unpackhi_epi8(high, zero)};
      for (int p = 0; p < 4; ++p) {
        sums[p] = _mm256_add_epi32(sums[p], _mm256_madd_epi16(parts[p], pair));
      }
    }
    for (__m256i& sum : sums) sum = _mm256_sra_epi32(sum, bits);
    const __m256i words[2] = {_mm256_packs_epi32(sums[0], sums[1]),
                              _mm256_packs_epi32(sums[2], sums[3])};
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x),
                        _mm256_packus_epi16(words[0], words[1]));
  }
  const PictureView rest{from.pixels + x, from.height, 0, from.row_bytes};
  portable_kernels().down_columns(rest, filter, i, bytes - x, out + x);
}

/// Returns the low eight bytes as eight normalised numbers.
DLSCALE_AVX2 inline __m256 numbers(__m128i bytes, __m256 scale, __m256 shift) {
  const __m256 whole = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
  return _mm256_sub_ps(_mm256_mul_ps(whole, scale), shift);
}

/// Shuffles that collect the 16 bytes of one colour from the 48 bytes of 16 pixels. Each shuffle
/// reads one third (16 bytes) of the 48 bytes.
struct Shuffle {
  alignas(16) char of[kColours][kColours][16];  ///< shuffles by colour and by third of the 48 bytes
};

constexpr Shuffle shuffle_of(bool mirrored) {
  Shuffle shuffle{};
  for (int colour = 0; colour < kColours; ++colour) {
    for (int i = 0; i < 16; ++i) {
      const int from = kColours * (mirrored ? 15 - i : i) + colour;
      for (int third = 0; third < kColours; ++third) {
        shuffle.of[colour][third][i] = from / 16 == third ? static_cast<char>(from % 16) : kNone;
      }
    }
  }
  return shuffle;
}

DLSCALE_AVX2 void normalise_row(const std::uint8_t* row, int width, const RowOfNumbers& to) {
  static constexpr Shuffle kShuffles[2] = {shuffle_of(false), shuffle_of(true)};
  const Shuffle& shuffle = kShuffles[to.mirrored ? 1 : 0];
  constexpr int kPixels = 16;
  int x = 0;
  for (; to.stride == 1 && x + kPixels <= width; x += kPixels) {
    const std::uint8_t* in = row + kColours * (to.mirrored ? width - x - kPixels : x);
    __m128i thirds[kColours];
    for (int t = 0; t < kColours; ++t) {
      thirds[t] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 16 * t));
    }
    for (int c = 0; c < kColours; ++c) {
      __m128i colour = _mm_setzero_si128();
      for (int t = 0; t < kColours; ++t) {
        const auto* mask = reinterpret_cast<const __m128i*>(shuffle.of[c][t]);
        colour = _mm_or_si128(colour, _mm_shuffle_epi8(thirds[t], _mm_load_si128(mask)));
      }
      const __m256 scale = _mm256_set1_ps(to.by.scale[static_cast<std::size_t>(c)]);
      const __m256 shift = _mm256_set1_ps(to.by.shift[static_cast<std::size_t>(c)]);
      _mm256_storeu_ps(to.out[c] + x, numbers(colour, scale, shift));
      _mm256_storeu_ps(to.out[c] + x + 8, numbers(_mm_srli_si128(colour, 8), scale, shift));
    }
  }
  RowOfNumbers rest = to;
  for (float*& out : rest.out) out += x * to.stride;
  portable_kernels().normalise_row(to.mirrored ? row : row + kColours * x, width - x, rest);
}

#undef DLSCALE_AVX2

}  // namespace

const Kernels& best_kernels() {
  static constexpr Kernels kAvx2{"AVX2", along_rows, down_columns, normalise_row};
  static const bool has_avx2 = __builtin_cpu_supports("avx2") > 0;
  return has_avx2 ? kAvx2 : portable_kernels();
}

}  // namespace dlscale::images
