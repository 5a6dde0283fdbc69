// SPDX-License-Identifier: Apache-2.0
// Interface of the optimizers, which update parameters from gradients, and the table of optimizers.
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

/// Range of elements in a flat tensor that belongs to one parameter of the model.
struct ParameterPiece {
  std::size_t tensor = 0;     ///< index into the stepped tensors
  std::int64_t first = 0;     ///< index of the first element
  std::int64_t count = 0;     ///< number of elements, 0 when other ranks hold the whole parameter
  std::size_t parameter = 0;  ///< index in model order, the same on all ranks
  bool is_weight = false;     ///< true when the parameter has two or more dimensions
};

/// Tensors that an optimizer updates. The tensors share memory with the model.
struct Stepped {
  std::vector<at::Tensor> tensors;
  /// Pieces for every parameter of the model, in order, when the tensors are flat. Empty when each
  /// tensor is one parameter.
  std::vector<ParameterPiece> pieces = {};
  /// **Collective.** Sums each number over the ranks that hold the other pieces. Null when there
  /// are no such ranks.
  std::function<void(std::vector<double>& numbers)> sum = {};
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// **Collective** among the ranks that hold pieces of the same parameters. Updates the parameters
  /// with this learning rate. A parameter without a gradient keeps its value.
  virtual void step(double learning_rate) = 0;
  /// Updates the parameters with a learning rate that the device reads at execution time, so that
  /// the step can be recorded in a graph. `learning_rate` is one float32 number in device memory.
  /// Returns false without any effect when this optimizer cannot be recorded, or when its next step
  /// differs from later steps.
  virtual bool step_recordable(const at::Tensor& /*learning_rate*/) { return false; }
  /// Returns the tensors that a checkpoint must hold so that training continues identically. Every
  /// call returns the same names and shapes. The list is empty when steps depend only on gradients.
  virtual std::vector<NamedTensor> state() = 0;
};

struct OptimizerEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Optimizer> (*make)(const contract::OptimizerSpec& spec, const Stepped& stepped);
};

base::Table<OptimizerEntry> optimizer_table();

}  // namespace dlscale::trainer
