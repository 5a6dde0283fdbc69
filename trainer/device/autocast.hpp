// SPDX-License-Identifier: Apache-2.0
// Mixed-precision forward passes. The operators in PyTorch's autocast lists compute in 16 bits.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <string>

namespace dlscale::trainer {

// Number format of parameters, activations and gradients.

enum class Precision { fp32, fp64 };

/// Mixed precision with 16-bit operators. LibTorch's autocast lists define for each device which
/// operators use 16 bits. Parameters and their gradients keep their type.
class Autocast {
 public:
  /// Configures autocast for `precision`, a value of contract::RunSpec. Only bf16 and fp16 enable
  /// autocast.
  Autocast(const std::string& precision, c10::DeviceType device);

  /// Scope in which autocast is active for the operators of the calling thread. The scope must end
  /// before the optimizer step, because autocast keeps 16-bit copies of the parameters until the
  /// scope ends, and the optimizer step makes these copies outdated.
  class Scope {
   public:
    explicit Scope(const Autocast& autocast);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Autocast& autocast_;
    bool enabled_before_ = false;
    c10::ScalarType type_before_ = c10::ScalarType::Undefined;
  };
  [[nodiscard]] Scope forward_pass() const { return Scope(*this); }

 private:
  std::optional<c10::ScalarType> type_;
  c10::DeviceType device_;
};

}  // namespace dlscale::trainer
