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

/// A part of a model. The only input of a block is the output of the previous block, so a model can
/// be divided between any two blocks.
struct Block {
  std::string name;
  std::vector<std::size_t> parameters;  ///< the block's indices in Model::parameters()
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
  /// Runs all blocks in order. For image classification, `input` is samples x channels x height x
  /// width, and the result contains scores, samples x classes. Batch::input describes other inputs.
  at::Tensor forward(const at::Tensor& input);
  /// Sets the observer of forward(). Null removes the observer.
  void watch_blocks(BlockWatch* watch) { watch_ = watch; }
  /// Returns the blocks of the model, at least one. Every parameter belongs to exactly one block.
  virtual const std::vector<Block>& blocks() const = 0;
  /// Returns the output of block `index`. `input` is the output of the previous block and is not
  /// modified.
  virtual at::Tensor forward_block(std::size_t index, const at::Tensor& input) = 0;
  /// Keeps the blocks with indices in [first, last) and releases the memory of all other blocks,
  /// which must not run afterwards. parameters() and state() then cover only the kept blocks. The
  /// indices of the blocks do not change.
  virtual void keep_blocks(std::size_t first, std::size_t last) = 0;
  /// Excludes the named parameters from training. parameters() no longer contains these parameters,
  /// but state() still does.
  virtual void freeze(const std::vector<std::string>& names) = 0;
  /// Selects training mode or evaluation mode. A new model is in training mode.
  virtual void set_training(bool training) = 0;
  /// Returns the trainable parameters in the order of their registration. The reference is valid
  /// until the model is destroyed.
  virtual const std::vector<at::Tensor>& parameters() const = 0;
  virtual const std::vector<std::string>& parameter_names() const = 0;
  /// Returns the running statistics, which are the tensors other than parameters that forward
  /// passes update.
  virtual std::vector<at::Tensor> buffers() const = 0;
  /// Returns all parameters, including frozen parameters, and all buffers.
  virtual std::vector<NamedTensor> weights() = 0;
  virtual Pretrained pretrained();
  /// Returns the tensors that a checkpoint must contain. These are weights() and, if forward passes
  /// draw random numbers, the positions of the random streams ("random.…"). Names and shapes are
  /// the same on every rank.
  virtual std::vector<NamedTensor> state() = 0;

 private:
  BlockWatch* watch_ = nullptr;
};

class StatisticsSum;  // models/batch_norm.hpp
class VisionNet;      // models/vision_net.hpp

struct ModelContext {
  ImageShape input;
  int classes = 0;
  int words = 0;         ///< vocabulary size of input texts, including special tokens
  int target_words = 0;  ///< vocabulary size of the target language
  Precision precision = Precision::fp32;
  const Device& device;
  std::uint64_t seed = 0;  ///< seed of the initial parameters (PyTorch's default distributions)
  StatisticsSum* statistics = nullptr;  ///< sums over ranks for batch norms, or null
  bool channels_last = false;           ///< true if images are in the channels-last format
  /// Index of the worker that runs the model. A worker is a rank or one of the devices of a rank.
  /// Each worker draws different random numbers.
  int worker = 0;
  bool zero_init_gamma = false;  ///< true: weight 0 in the last batch norm of residual blocks
  contract::ModelOptions options = {};
};

struct ModelEntry {
  const char* name;
  const char* summary;
  /// Creates the model. Throws base::UsageError if the model does not support the input of the
  /// context.
  std::unique_ptr<Model> (*make)(const ModelContext& context);
  const char* task = "classification";  ///< name of the task in trainer/tasks
  const char* input = "images";         ///< kind of input: "images" or "text"
  /// Returns the net of the model. If the context has 0 classes, the net has no classifier. The
  /// pointer is null if the model cannot be the backbone of frozen_backbone.
  std::shared_ptr<VisionNet> (*backbone)(const ModelContext& context) = nullptr;
  bool is_residual = false;  ///< true when the model consists of residual blocks
  bool has_dropout = false;  ///< true if passes always draw random numbers
  int smallest_side = 0;     ///< minimum side of an image in pixels; 0: no minimum
  int side_multiple = 0;     ///< number that must divide both sides of an image; 0: none
  int channels[2] = {};      ///< accepted numbers of channels; zeros: any number
  /// Keys of model_options that the model reads, separated by spaces.
  const char* settings = "";
  int blocks = 0;  ///< number of blocks; 0 if it depends on the options
};

base::Table<ModelEntry> model_table();

/// Returns the number of scalars in the trainable parameters.
std::int64_t parameter_count(const Model& model);

/// Returns the number of scalars in all parameters.
std::int64_t total_parameter_count(Model& model);

/// Freezes all parameters whose names start with one of the prefixes in `beginnings`. Commas
/// separate the prefixes. Throws base::UsageError if no parameter matches one of the prefixes or if
/// no trainable parameter is left.
void freeze_beginnings(Model& model, const std::string& beginnings);

}  // namespace dlscale::trainer
