// SPDX-License-Identifier: Apache-2.0
#include "trainer/device/autocast.hpp"

#include <ATen/autocast_mode.h>

namespace dlscale::trainer {

// Mixed-precision forward passes. The operators in PyTorch's autocast lists compute in 16 bits.

Autocast::Autocast(const std::string& precision, c10::DeviceType device) : device_(device) {
  if (precision == "bf16") type_ = at::kBFloat16;
  if (precision == "fp16") type_ = at::kHalf;
}

Autocast::Scope::Scope(const Autocast& autocast) : autocast_(autocast) {
  if (!autocast_.type_) return;
  enabled_before_ = at::autocast::is_autocast_enabled(autocast_.device_);
  type_before_ = at::autocast::get_autocast_dtype(autocast_.device_);
  at::autocast::set_autocast_dtype(autocast_.device_, *autocast_.type_);
  at::autocast::set_autocast_enabled(autocast_.device_, true);
  at::autocast::increment_nesting();
}

Autocast::Scope::~Scope() {
  if (!autocast_.type_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(autocast_.device_, enabled_before_);
  at::autocast::set_autocast_dtype(autocast_.device_, type_before_);
}

}  // namespace dlscale::trainer
