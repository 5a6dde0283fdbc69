// SPDX-License-Identifier: Apache-2.0
// Over which samples beside its own a rank's batch norms take their statistics.
#pragma once

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// The ranks whose samples count as one batch.
class StatisticsSum {
 public:
  enum class Pass { forward, backward };
  /// **Collective** among those ranks, in the same order on each. On return `values`, dense
  /// floating numbers, hold on each rank the sum over all. `pass`: when it is asked for.
  virtual void sum(const at::Tensor& values, Pass pass) = 0;

 protected:
  ~StatisticsSum() = default;
};

}  // namespace dlscale::trainer
