// SPDX-License-Identifier: Apache-2.0
// How gradients change parameters; and the table of optimizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/registry.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

struct NamedTensor;  // checkpoint/tensor_archive.hpp

/// What of a flat tensor is of which parameter of the model.
struct ParameterPiece {
  std::size_t tensor = 0;     ///< of those that are stepped
  std::int64_t first = 0;     ///< its first element
  std::int64_t count = 0;     ///< 0: other ranks have all of the parameter
  std::size_t parameter = 0;  ///< in model order, alike on all ranks
  bool is_weight = false;     ///< the parameter has two or more dimensions
};

/// What an optimizer steps; the tensors are shared with the model.
struct Stepped {
  std::vector<at::Tensor> tensors;
  /// Of every parameter of the model, in order, where tensors are flat. Empty: each tensor is a
  /// parameter.
  std::vector<ParameterPiece> pieces = {};
  /// **Collective.** Sums each number over the ranks that have the other pieces. Null: there are
  /// none.
  std::function<void(std::vector<double>& numbers)> sum = {};
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// One step with this learning rate. A parameter without a gradient stays as it is.
  /// **Collective** among the ranks that have pieces of the same parameters.
  virtual void step(double learning_rate) = 0;
  /// A step whose learning rate, one float32 number in the memory of the device, is read when the
  /// device does the step, so that the step can be recorded. Returns false, having done nothing, if
  /// this optimizer cannot or its next step differs from later ones.
  virtual bool step_recordable(const at::Tensor& /*learning_rate*/) { return false; }
  /// What a checkpoint must hold for the steps to go on as they would have: the same names and
  /// shapes whenever it is asked. Empty where steps depend on nothing but gradients.
  virtual std::vector<NamedTensor> state() = 0;
};

struct OptimizerEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Optimizer> (*make)(const contract::OptimizerSpec& spec, const Stepped& stepped);
};

base::Table<OptimizerEntry> optimizer_table();

}  // namespace dlscale::trainer
