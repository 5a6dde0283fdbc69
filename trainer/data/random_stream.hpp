// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and rank and with every standard library.
#pragma once

#include <cstdint>

namespace dlscale::trainer {

/// Random number generator SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014). Streams with different keys can be treated as independent.
class RandomStream {
 public:
  RandomStream(std::uint64_t key, std::uint64_t subkey) : state_(mix(mix(key + kStep) + subkey)) {}

  std::uint64_t next() { return mix(state_ += kStep); }

  /// Returns a uniform number in [0, bound), without bias. `bound` must be positive.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t rejected = (0 - bound) % bound;  // 2^64 mod bound
    for (;;) {
      const std::uint64_t value = next();
      if (value >= rejected) return value % bound;
    }
  }

  /// Returns a uniform number in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace dlscale::trainer
