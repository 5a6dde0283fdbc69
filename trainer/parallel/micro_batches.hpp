// SPDX-License-Identifier: Apache-2.0
// Division of the samples of a step into micro-batches, and the weights of their losses.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "contract/run_spec/run_spec.hpp"
#include "trainer/data/loader.hpp"

namespace dlscale::trainer {

/// Micro-batches of a replica in a step. The gradients of the micro-batches are added up within a
/// replica and averaged over the replicas. With `uneven_batch = "spread"`, replicas and
/// micro-batches have different numbers of samples. The mean loss of a micro-batch with n samples
/// then has the weight n x replicas / global batch, so that every sample of the global batch has
/// the same influence on the step.
class MicroBatches {
 public:
  /// `replicas` is the number of replicas of the model whose gradients are averaged.
  MicroBatches(const contract::RunSpec& spec, int replicas)
      : count_(spec.accumulation_steps),
        weight_of_sample_(spec.uneven_batch == contract::kSpreadBatch
                              ? static_cast<double>(replicas) /
                                    static_cast<double>(spec.global_batch)
                              : 0) {}

  int count() const { return count_; }
  /// Returns micro-batch `number` of the samples of this replica.
  Batch part(const Batch& batch, int number) const;
  /// Returns the contribution of a micro-batch to the loss of the step. `loss` is the mean loss of
  /// the `samples` samples of the micro-batch.
  at::Tensor weighted(const at::Tensor& loss, std::int64_t samples) const;

 private:
  int count_;
  double weight_of_sample_;  ///< 0 if all micro-batches of all replicas have equal sizes
};

}  // namespace dlscale::trainer
