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

/// Range of elements that belongs to one parameter of the model. The range lies in a flat tensor,
/// which holds the elements of several parameters in one dimension.
struct ParameterPiece {
  std::size_t tensor = 0;     ///< index of the flat tensor in Stepped::tensors
  std::int64_t first = 0;     ///< index of the first element
  std::int64_t count = 0;     ///< number of elements, 0 when other ranks hold the whole parameter
  std::size_t parameter = 0;  ///< index of the parameter in the model, the same on all ranks
  bool is_weight = false;     ///< true when the parameter has two or more dimensions
};

/// Tensors that an optimizer updates. The tensors share memory with the model.
struct Stepped {
  std::vector<at::Tensor> tensors;
  /// If the tensors are flat, one piece for every parameter of the model, in the order of the
  /// parameters. If each tensor is one parameter, this list is empty.
  std::vector<ParameterPiece> pieces = {};
  /// **Collective.** Replaces each number with its sum over all ranks that hold pieces of the
  /// parameters. Null when this rank holds all parameters completely.
  std::function<void(std::vector<double>& numbers)> sum = {};
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// **Collective** among the ranks that hold pieces of the same parameters. Updates the parameters
  /// with the given learning rate. A parameter that has no gradient keeps its value.
  virtual void step(double learning_rate) = 0;
  /// Updates the parameters in a way that a CUDA graph can record. `learning_rate` is one float32
  /// number in device memory. The device reads the number when the step runs, so each replay of the
  /// graph can use another learning rate. Returns false without any effect when this optimizer
  /// cannot be recorded, or when the optimizer's next step differs from its later steps.
  virtual bool step_recordable(const at::Tensor& /*learning_rate*/) { return false; }
  /// Returns the optimizer tensors that a checkpoint must hold so that a resumed run continues
  /// exactly like an uninterrupted run. Every call returns the same names and shapes. The list is
  /// empty when the optimizer keeps no values from one step to the next.
  virtual std::vector<NamedTensor> state() = 0;
};

struct OptimizerEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Optimizer> (*make)(const contract::OptimizerSpec& spec, const Stepped& stepped);
};

base::Table<OptimizerEntry> optimizer_table();

}  // namespace dlscale::trainer
