// SPDX-License-Identifier: Apache-2.0
// Forward passes that compute in 16 bits where PyTorch's autocast does.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <string>

namespace dlscale::trainer {

// The number format of parameters, activations and gradients.

enum class Precision { fp32, fp64 };

/// LibTorch's own lists say, for each device, which operators take and give 16 bits; parameters
/// keep their type and so do gradients of them.
class Autocast {
 public:
  /// `precision`: contract::RunSpec's. None but bf16 and fp16 casts anything.
  Autocast(const std::string& precision, c10::DeviceType device);

  /// While it lives, operators of the calling thread are cast. It must end before the optimizer's
  /// step, since what has been cast of parameters is kept until then.
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
