// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/script_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/script.h>
#include <torch/utils.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/data/random_stream.hpp"
#include "trainer/models/module_model.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kTriedSamples = 2;

/// Returns the first non-empty line of a message. A message of LibTorch states the problem in the
/// first line. The many lines after it describe the location of the problem.
std::string first_line(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of('\n'), text.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// Returns the line of an error message that states the reason. In messages of TorchScript's
/// interpreter this is the last line. In other messages of LibTorch it is the first line.
std::string reason_of(const std::exception& error) {
  const auto* const known = dynamic_cast<const c10::Error*>(&error);
  std::string text = known != nullptr ? known->what_without_backtrace() : error.what();
  if (text.find("TorchScript interpreter") == text.npos) return first_line(text);
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// Returns true if the text of an error states that memory was insufficient. Such an error is not a
/// fault of the module.
bool lacks_memory(const std::exception& error) {
  const std::string_view text = error.what();
  return text.find("out of memory") != text.npos || text.find("can't allocate memory") != text.npos;
}

class ScriptModel : public Model {
 public:
  ScriptModel(const std::string& file, const ModelContext& context)
      : file_(file),
        seed_(RandomStream(context.seed, static_cast<std::uint64_t>(context.worker)).next()),
        passes_(torch::zeros({}, torch::kLong)),
        channels_last_(context.channels_last),
        classes_(context.classes),
        module_(loaded(file)) {
    for (const auto& named : module_.named_parameters())
      add_tensor({named.name, named.value}, all_);
    for (const auto& named : module_.named_buffers())
      add_tensor({named.name, named.value}, buffers_);
    for (const auto* tensors : {&all_, &buffers_}) {
      for (const NamedTensor& each : *tensors) move(each.tensor, context);
    }
    list_parameters();
    if (parameters_.empty()) {
      fail(
          "has no parameters to train; torch.jit.freeze() turns parameters into constants, so save "
          "a module that is not frozen");
    }
    try_passes(context);
    module_.train();
  }

  const std::vector<Block>& blocks() const override { return blocks_; }
  at::Tensor forward_block(std::size_t, const at::Tensor& input) override {
    if (module_.is_training()) seed_pass();
    return run(module_, input);
  }
  void keep_blocks(std::size_t, std::size_t) override {}  // the only block is always kept
  void freeze(const std::vector<std::string>& names) override {
    for (const NamedTensor& each : all_) {
      if (std::ranges::find(names, each.name) != names.end()) each.tensor.set_requires_grad(false);
    }
    list_parameters();
  }
  void set_training(bool training) override { module_.train(training); }
  const std::vector<at::Tensor>& parameters() const override { return parameters_; }
  const std::vector<std::string>& parameter_names() const override { return names_; }
  std::vector<at::Tensor> buffers() const override {
    std::vector<at::Tensor> tensors;
    for (const NamedTensor& each : buffers_) tensors.push_back(each.tensor);
    return tensors;
  }
  std::vector<NamedTensor> weights() override {
    std::vector<NamedTensor> tensors = all_;
    append(tensors, "", buffers_);
    return tensors;
  }
  std::vector<NamedTensor> state() override {
    std::vector<NamedTensor> tensors = weights();
    tensors.push_back({"random.passes", passes_});
    return tensors;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw base::RunError(fmt::format("model: {} {}", file_, problem),
                         contract::kExitBadRunDescription);
  }

  torch::jit::Module loaded(const std::string& file) const {
    std::string bytes;
    try {
      bytes = base::read_file(file);
    } catch (const base::RunError& error) {
      throw base::RunError(fmt::format("model: {}", error.what()),
                           contract::kExitBadRunDescription);
    }
    try {
      std::istringstream stream(std::move(bytes));
      return torch::jit::load(stream, at::kCPU);
    } catch (const std::exception& error) {
      fail(fmt::format("is not a TorchScript module saved by torch.jit.script(…).save(…): {}",
                       first_line(error.what())));
    }
  }

  /// Appends `tensor` to `tensors`, unless `tensors` already contains it under another name.
  static void add_tensor(NamedTensor tensor, std::vector<NamedTensor>& tensors) {
    const bool known = std::ranges::any_of(
        tensors, [&](const NamedTensor& each) { return each.tensor.is_same(tensor.tensor); });
    if (!known) tensors.push_back(std::move(tensor));
  }

  void move(const at::Tensor& tensor, const ModelContext& context) const {
    const auto type = context.precision == Precision::fp64 ? at::kDouble : at::kFloat;
    at::Tensor moved = tensor.detach().to(context.device.torch_device(),
                                          tensor.is_floating_point() ? type : tensor.scalar_type());
    moved = channels_last_ && moved.dim() == 4 ? moved.clone(at::MemoryFormat::ChannelsLast)
                                               : moved.contiguous();
    tensor.set_data(moved);
  }

  void list_parameters() {
    parameters_.clear();
    names_.clear();
    blocks_ = {{"script", {}}};
    for (const NamedTensor& each : all_) {
      if (!each.tensor.requires_grad()) continue;
      blocks_[0].parameters.push_back(parameters_.size());
      parameters_.push_back(each.tensor);
      names_.push_back(each.name);
    }
  }

  /// Seeds the random generator of the process, which the module uses. The new seed depends on the
  /// seed of the run, the worker and the number of previous passes.
  void seed_pass() {
    torch::manual_seed(
        RandomStream(seed_, static_cast<std::uint64_t>((*passes_.data_ptr<std::int64_t>())++))
            .next());
  }

  /// Runs the module without optimisation, one operator after the other. Otherwise, TorchScript
  /// would optimise the module after some passes. The results of passes after the optimisation
  /// would then be rounded differently from the results of passes before it.
  at::Tensor run(torch::jit::Module& module, const at::Tensor& input) const {
    const torch::jit::GraphOptimizerEnabledGuard as_written(false);
    const bool arranged = channels_last_ && input.dim() == 4;
    at::Tensor output;
    try {
      output = module.forward({arranged ? input.contiguous(at::MemoryFormat::ChannelsLast) : input})
                   .toTensor();
    } catch (const std::exception& error) {
      if (lacks_memory(error)) throw;
      fail(fmt::format("cannot process a batch of shape [{}]{}: {}", fmt::join(input.sizes(), ", "),
                       when(module), reason_of(error)));
    }
    const std::int64_t samples = input.size(0);
    if (output.sizes() == at::IntArrayRef{samples, classes_}) return output;
    fail(fmt::format(
        "returns shape [{}] for a batch of shape [{}]{}; the scores of {} samples for {} "
        "classes must have shape [{}, {}]",
        fmt::join(output.sizes(), ", "), fmt::join(input.sizes(), ", "), when(module), samples,
        classes_, samples, classes_));
  }

  static const char* when(const torch::jit::Module& module) {
    return module.is_training() ? " in training" : "";
  }

  /// Runs one evaluation pass and one training pass as a check. The passes use a copy of the
  /// module, because a pass may change the state of a module.
  void try_passes(const ModelContext& context) {
    const std::vector<std::int64_t> shape{kTriedSamples, context.input.channels,
                                          context.input.height, context.input.width};
    const auto type = context.precision == Precision::fp64 ? at::kDouble : at::kFloat;
    const at::Tensor input =
        at::zeros(shape, at::TensorOptions(context.device.torch_device()).dtype(type));
    torch::jit::Module copy = module_.deepcopy();
    copy.eval();
    {
      const at::NoGradGuard no_gradients;
      run(copy, input);
    }
    copy.train();
    const auto drawing = start_drawing(seed_);
    const at::AutoGradMode gradients(true);
    if (!run(copy, input).requires_grad()) {
      fail(
          "returns scores without a gradient in training, because the scores are detached from its "
          "parameters");
    }
  }

  std::string file_;
  std::uint64_t seed_;
  at::Tensor passes_;
  bool channels_last_;
  std::int64_t classes_;
  torch::jit::Module module_;
  std::vector<NamedTensor> all_, buffers_;  ///< all parameters, and all buffers
  std::vector<Block> blocks_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Model> make_script_model(const std::string& file, const ModelContext& context) {
  return std::make_unique<ScriptModel>(file, context);
}

}  // namespace dlscale::trainer
