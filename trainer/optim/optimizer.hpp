// SPDX-License-Identifier: Apache-2.0
// How gradients change parameters; and the table of optimizers.
#pragma once

#include <memory>
#include <vector>

#include "base/registry.hpp"
#include "contract/run_spec.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

struct NamedTensor;  // checkpoint/named_tensor.hpp

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// One step with this learning rate. Every parameter must have a gradient.
  virtual void step(double learning_rate) = 0;
  /// What a checkpoint must hold for the steps to go on as they would have: the same names and
  /// shapes whenever it is asked. Empty where steps depend on nothing but gradients.
  virtual std::vector<NamedTensor> state() = 0;
};

struct OptimizerEntry {
  const char* name;
  const char* summary;
  /// `parameters` are shared with the model.
  std::unique_ptr<Optimizer> (*make)(const contract::OptimizerSpec& spec,
                                     const std::vector<at::Tensor>& parameters);
};

base::Table<OptimizerEntry> optimizer_table();

}  // namespace dlscale::trainer
