// SPDX-License-Identifier: Apache-2.0
// What is trained; and the table of models.
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

/// A stretch of a model that takes nothing but the output of the stretch before it, so that the
/// model can be cut there.
struct Block {
  std::string name;
  std::vector<std::size_t> parameters;  ///< which of Model::parameters() are its own
};

/// Is told when blocks run.
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
  /// `input`: samples x channels x height x width. Returns scores, samples x classes: block after
  /// block.
  at::Tensor forward(const at::Tensor& input);
  /// Tells `watch` what forward() does; null: nobody.
  void watch_blocks(BlockWatch* watch) { watch_ = watch; }
  /// At least one; every parameter is in one of them.
  virtual const std::vector<Block>& blocks() const = 0;
  /// What block `index` makes of the output of the one before, which it leaves as it is.
  virtual at::Tensor forward_block(std::size_t index, const at::Tensor& input) = 0;
  /// Gives back the memory of all blocks but [first, last): the others may not run any more, and
  /// parameters() and state() hold only what these have. Indices of blocks stay.
  virtual void keep_blocks(std::size_t first, std::size_t last) = 0;
  /// Parameters of these names are trained no more: they stay in state() and leave parameters().
  virtual void freeze(const std::vector<std::string>& names) = 0;
  /// Between training behaviour (true at first) and evaluation behaviour.
  virtual void set_training(bool training) = 0;
  /// The trainable parameters, in order of their registration; valid as long as the model.
  virtual const std::vector<at::Tensor>& parameters() const = 0;
  virtual const std::vector<std::string>& parameter_names() const = 0;
  /// What forward passes keep beside parameters: running statistics.
  virtual std::vector<at::Tensor> buffers() const = 0;
  /// Parameters, trained or not, and buffers.
  virtual std::vector<NamedTensor> weights() = 0;
  virtual Pretrained pretrained();
  /// What a checkpoint must hold: weights(), and where the random numbers of forward passes stand
  /// ("random.…"), if they draw any. The names and shapes are the same on every rank.
  virtual std::vector<NamedTensor> state() = 0;

 private:
  BlockWatch* watch_ = nullptr;
};

class StatisticsSum;  // models/batch_norm.hpp
class VisionNet;      // models/vision_net.hpp

struct ModelContext {
  ImageShape input;
  int classes = 0;
  int words = 0;         ///< of text: the tokens that there are, special ones included
  int target_words = 0;  ///< of text to be translated into
  Precision precision = Precision::fp32;
  const Device& device;
  std::uint64_t seed = 0;  ///< of the initial parameters, PyTorch's default distributions
  StatisticsSum* statistics = nullptr;  ///< of batch norms; null: each rank has its own
  bool channels_last = false;  ///< in memory, of 4-dimensional parameters and of what they act on
  /// Which of the workers, ranks or devices, it is for: they draw different random numbers.
  int worker = 0;
  bool zero_init_gamma = false;  ///< the last batch norm of each residual block begins at 0
  contract::ModelOptions options = {};
};

struct ModelEntry {
  const char* name;
  const char* summary;
  /// Throws base::UsageError when the model cannot take such input.
  std::unique_ptr<Model> (*make)(const ModelContext& context);
  const char* task = "classification";  ///< of trainer/tasks
  const char* input = "images";         ///< or "text": of DatasetEntry::samples
  /// Its net, without a classifier where the context has no classes; null: it is no backbone.
  std::shared_ptr<VisionNet> (*backbone)(const ModelContext& context) = nullptr;
  bool is_residual = false;  ///< it is made of residual blocks
  bool has_dropout = false;  ///< its passes draw random numbers, whatever its options
  int smallest_side = 0;     ///< Fewest pixels that a side of an image may have; 0: any number.
  int side_multiple = 0;     ///< Number that must divide both sides of an image; 0: none.
  int channels[2] = {};      ///< Numbers of channels that an image may have; zeros: any number.
  /// Keys of model_options that it reads, separated by spaces.
  const char* settings = "";
  int blocks = 0;  ///< Number of its blocks, whatever its options; 0: not known.
};

base::Table<ModelEntry> model_table();

/// Scalars in the trainable parameters.
std::int64_t parameter_count(const Model& model);

/// Scalars in all parameters.
std::int64_t total_parameter_count(Model& model);

/// Freezes the parameters whose names begin as one of `beginnings`, which commas separate. Throws
/// base::UsageError when no name begins so, or nothing is left to train.
void freeze_beginnings(Model& model, const std::string& beginnings);

}  // namespace dlscale::trainer
