// SPDX-License-Identifier: Apache-2.0
// What is trained; and the table of models.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/registry.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/device/device.hpp"
#include "trainer/device/precision.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

struct NamedTensor;  // checkpoint/named_tensor.hpp

class Model {
 public:
  virtual ~Model() = default;
  /// `input`: samples x channels x height x width. Returns scores, samples x classes.
  virtual at::Tensor forward(const at::Tensor& input) = 0;
  /// Between training behaviour (true at first) and evaluation behaviour.
  virtual void set_training(bool training) = 0;
  /// The trainable parameters, in order of their registration; valid as long as the model.
  virtual const std::vector<at::Tensor>& parameters() const = 0;
  virtual const std::vector<std::string>& parameter_names() const = 0;
  /// What a checkpoint must hold: parameters and buffers, and the state of the random numbers that
  /// forward passes draw, if they do.
  virtual std::vector<NamedTensor> state() = 0;
};

struct ModelContext {
  ImageShape input;
  int classes = 0;
  Precision precision = Precision::fp32;
  const Device& device;
  std::uint64_t seed = 0;  ///< of the initial parameters, PyTorch's default distributions
};

struct ModelEntry {
  const char* name;
  const char* summary;
  /// Throws base::UsageError when the model cannot take such input.
  std::unique_ptr<Model> (*make)(const ModelContext& context);
};

base::Table<ModelEntry> model_table();

/// Scalars in the trainable parameters.
std::int64_t parameter_count(const Model& model);

}  // namespace dlscale::trainer
