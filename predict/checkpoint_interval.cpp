// SPDX-License-Identifier: Apache-2.0
#include "predict/checkpoint_interval.hpp"

#include <cmath>

namespace dlscale::predict {

Seconds young_interval(Seconds write, Seconds between_failures) {
  return {std::sqrt(2 * write.value * between_failures.value)};
}

Seconds daly_interval(Seconds write, Seconds between_failures) {
  const double part = write / (2 * between_failures);
  if (part >= 1) return between_failures;
  return young_interval(write, between_failures) * (1 + std::sqrt(part) / 3 + part / 9) - write;
}

double checkpoint_loss(Seconds work, Seconds interval, Seconds write, Seconds between_failures) {
  const bool saves = interval < work;
  const Seconds kept = saves ? interval : work;
  const Seconds spent = saves ? interval + write : work;
  return 1 - kept / (between_failures * std::expm1(spent / between_failures));
}

}  // namespace dlscale::predict
