// SPDX-License-Identifier: Apache-2.0
// Models that can be trained, and the table of models.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/registry.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/device/autocast.hpp"
#include "trainer/device/device.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

struct NamedTensor;  // checkpoint/tensor_archive.hpp
struct Pretrained;   // models/weights.hpp

/// A part of a model whose only input is the output of the previous part, so that the model can be
/// divided there.
struct Block {
  std::string name;
  std::vector<std::size_t> parameters;  ///< indices of its parameters in Model::parameters()
};

/// Observer that Model::forward() notifies before and after each block.
class BlockWatch {
 public:
  virtual void before_block(std::size_t block) = 0;
  virtual void after_block(std::size_t block, const at::Tensor& output) = 0;

 protected:
  ~BlockWatch() = default;
};

class Model {
 public:
  virtual ~Model() = default;
  /// Runs all blocks in order. `input` is samples x channels x height x width. Returns scores,
  /// samples x classes.
  at::Tensor forward(const at::Tensor& input);
  /// Sets the observer of forward(). Null removes the observer.
  void watch_blocks(BlockWatch* watch) { watch_ = watch; }
  /// Returns the blocks of the model, at least one. Every parameter belongs to exactly one block.
  virtual const std::vector<Block>& blocks() const = 0;
  /// Returns the output of block `index` for the output of the previous block. Does not modify
  /// `input`.
  virtual at::Tensor forward_block(std::size_t index, const at::Tensor& input) = 0;
  /// Releases the memory of all blocks outside [first, last), which must not run afterwards.
  /// parameters() and state() then contain only the kept blocks. The indices of the blocks do not
  /// change.
  virtual void keep_blocks(std::size_t first, std::size_t last) = 0;
  /// Excludes the named parameters from training. They stay in state() and leave parameters().
  virtual void freeze(const std::vector<std::string>& names) = 0;
  /// Selects training behaviour, which is the initial one, or evaluation behaviour.
  virtual void set_training(bool training) = 0;
  /// Returns the trainable parameters in order of registration. The reference is valid as long as
  /// the model.
  virtual const std::vector<at::Tensor>& parameters() const = 0;
  virtual const std::vector<std::string>& parameter_names() const = 0;
  /// Returns the tensors other than parameters that forward passes update: running statistics.
  virtual std::vector<at::Tensor> buffers() const = 0;
  /// Returns all parameters, trained or not, and all buffers.
  virtual std::vector<NamedTensor> weights() = 0;
  virtual Pretrained pretrained();
  /// Returns the tensors that a checkpoint must hold: weights(), and the positions of the random
  /// number streams of forward passes ("random.…") if forward passes draw random numbers. Names and
  /// shapes are the same on every rank.
  virtual std::vector<NamedTensor> state() = 0;

 private:
  BlockWatch* watch_ = nullptr;
};

class StatisticsSum;  // models/batch_norm.hpp
class VisionNet;      // models/vision_net.hpp

struct ModelContext {
  ImageShape input;
  int classes = 0;
  int words = 0;         ///< vocabulary size of the input text, special tokens included
  int target_words = 0;  ///< vocabulary size of the target language
  Precision precision = Precision::fp32;
  const Device& device;
  std::uint64_t seed = 0;  ///< seed of the initial parameters (PyTorch's default distributions)
  StatisticsSum* statistics = nullptr;  ///< sum over ranks for batch norms, null for one rank
  bool channels_last = false;  ///< true when 4-dimensional tensors have their channels last
  /// Index of the worker, a rank or a device, that runs the model. Workers draw different random
  /// numbers.
  int worker = 0;
  bool zero_init_gamma = false;  ///< true when the last batch norm of residual blocks starts at 0
  contract::ModelOptions options = {};
};

struct ModelEntry {
  const char* name;
  const char* summary;
  /// Creates the model. Throws base::UsageError when the model does not support such input.
  std::unique_ptr<Model> (*make)(const ModelContext& context);
  const char* task = "classification";  ///< name of the task in trainer/tasks
  const char* input = "images";         ///< kind of input: "images" or "text"
  /// Returns the net of the model, without a classifier when the context has no classes. Null means
  /// that the model cannot be a backbone.
  std::shared_ptr<VisionNet> (*backbone)(const ModelContext& context) = nullptr;
  bool is_residual = false;  ///< true when the model consists of residual blocks
  bool has_dropout = false;  ///< true when passes draw random numbers with any options
  int smallest_side = 0;     ///< smallest side of an image in pixels, 0 for any
  int side_multiple = 0;     ///< divisor of both sides of an image, 0 for none
  int channels[2] = {};      ///< accepted numbers of channels, zeros for any
  /// Keys of model_options that the model reads, separated by spaces.
  const char* settings = "";
  int blocks = 0;  ///< number of blocks, independent of options, 0 if unknown
};

base::Table<ModelEntry> model_table();

/// Returns the number of scalars in the trainable parameters.
std::int64_t parameter_count(const Model& model);

/// Returns the number of scalars in all parameters.
std::int64_t total_parameter_count(Model& model);

/// Freezes the parameters whose names start with a prefix in `beginnings`, which are separated by
/// commas. Throws base::UsageError when no parameter name starts with a prefix, and when no
/// trainable parameter is left.
void freeze_beginnings(Model& model, const std::string& beginnings);

}  // namespace dlscale::trainer
