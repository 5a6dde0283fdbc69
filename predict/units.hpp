// SPDX-License-Identifier: Apache-2.0
// Defines physical quantities as types, so that a bandwidth cannot be used as a time per byte.
#pragma once

#include <compare>

namespace dlscale::predict {

/// Quantity with the unit seconds^kTime x bytes^kData x FLOP^kWork.
template <int kTime, int kData, int kWork>
struct Quantity {
  double value = 0;

  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, double factor) { return {a.value * factor}; }
  friend constexpr Quantity operator*(double factor, Quantity a) { return {a.value * factor}; }
  friend constexpr Quantity operator/(Quantity a, double factor) { return {a.value / factor}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
};

template <int kTimeA, int kDataA, int kWorkA, int kTimeB, int kDataB, int kWorkB>
requires(kTimeA != kTimeB || kDataA != kDataB ||
         kWorkA != kWorkB) constexpr Quantity<kTimeA - kTimeB, kDataA - kDataB, kWorkA - kWorkB>
operator/(Quantity<kTimeA, kDataA, kWorkA> a, Quantity<kTimeB, kDataB, kWorkB> b) {
  return {a.value / b.value};
}

using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Flop = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0>;
using FlopPerSecond = Quantity<-1, 0, 1>;

inline constexpr double kMega = 1e6, kGiga = 1e9, kTera = 1e12;
inline constexpr Bytes kSingle{4};  ///< size of an fp32 number, such as a parameter or a gradient
inline constexpr Bytes kMebibyte{1024.0 * 1024};
inline constexpr Bytes kGibibyte{1024.0 * 1024 * 1024};

constexpr Seconds microseconds(double us) {
  return {us * 1e-6};
}
constexpr BytesPerSecond gigabytes_per_s(double gb) {
  return {gb * kGiga};
}
/// Returns a bandwidth that is given in Gbit/s, the usual unit of network links.
constexpr BytesPerSecond gigabits_per_s(double gbit) {
  return {gbit * kGiga / 8};
}
constexpr FlopPerSecond teraflops(double tflops) {
  return {tflops * kTera};
}

}  // namespace dlscale::predict
