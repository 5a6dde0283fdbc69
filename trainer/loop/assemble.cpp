// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/assemble.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "contract/run_spec/run_id.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/null_loader.hpp"
#include "trainer/failure/failure.hpp"
#include "trainer/kernels/cpu_kernels.hpp"
#include "trainer/kernels/cuda/launches.hpp"
#include "trainer/kernels/gpu_kernels.hpp"
#include "trainer/loop/loading.hpp"
#include "trainer/models/script_model.hpp"
#include "trainer/models/weights.hpp"
#include "trainer/parallel/rank_group.hpp"
#include "trainer/parallel/replicated.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

/// **Collective.** Creates the object that sums the statistics of synchronised batch norms over
/// ranks. Returns null when each rank normalises with the statistics of its own samples.
std::unique_ptr<RankStatistics> statistics_of(const contract::RunSpec& spec, CollectiveQueue& queue,
                                              const base::Clock& clock) {
  if (spec.batch_norm != "synchronised") return nullptr;
  const int stage = share_of(spec, queue.rank()).stage;
  auto statistics = std::make_unique<RankStatistics>(queue, stage, clock);
  return statistics->ranks() > 1 ? std::move(statistics) : nullptr;
}

/// Returns a path from the run description after the expansion of its environment variables. `key`
/// is the key of the path in the run description, for error messages.
std::string file_of(std::string_view path, const char* key) {
  return expand_variables(path, ::getenv, key, contract::kExitBadRunDescription);
}

/// Returns the path of the script file that defines the model.
std::string script_of(const contract::RunSpec& spec) {
  return file_of(std::string_view(spec.model).substr(contract::kScriptModel.size()), "model");
}

/// Returns the SHA-256 digests of the files that define the model. The digests show whether a file
/// has changed between two launches of the run.
std::map<std::string, std::string> digests_of(const contract::RunSpec& spec) {
  std::map<std::string, std::string> digests;
  const auto add = [&](const char* name, const std::string& file) {
    digests[name] = contract::sha256_hex(base::read_file(file));
  };
  if (spec.model.starts_with(contract::kScriptModel)) add("model_sha256", script_of(spec));
  if (!spec.weights.empty()) add("weights_sha256", file_of(spec.weights, "weights"));
  return digests;
}

/// Returns true when tensors use the channels-last layout. The run description can specify the
/// layout. Otherwise CPUs use channels-last because this layout is the fastest, and GPUs use
/// channels-last only for the number formats that their matrix units support. Models from scripts
/// keep LibTorch's default layout, because a script may depend on the default.
bool puts_channels_last(const contract::RunSpec& spec) {
  if (!spec.memory_format.empty()) return spec.memory_format == "channels_last";
  if (spec.model.starts_with(contract::kScriptModel)) return false;
  const bool wide = spec.precision == "fp32" || spec.precision == "fp64";
  return spec.resources.device == "cpu" || !wide;
}

/// Creates the model. Stores in `parts` the number of parameters and the number of trainable
/// parameters of the model.
std::unique_ptr<Model> make_model(const contract::RunSpec& spec, const Device& device,
                                  TrainerParts& parts, int worker) {
  use_fast_cpu_kernels(spec.cpu_kernels != kFrameworkKernels);
  const bool own_gpu_kernels =
      spec.resources.device == "cuda" && spec.gpu_kernels != kFrameworkKernels;
  use_gpu_kernels(own_gpu_kernels ? kernel::gpu_launches() : nullptr);
  const ModelContext context{.input = parts.dataset->shape,
                             .classes = parts.dataset->classes,
                             .words = parts.dataset->words,
                             .target_words = parts.dataset->target_words,
                             .precision = precision_of(spec),
                             .device = device,
                             .seed = seed_of(spec),
                             .statistics = parts.statistics.get(),
                             .channels_last = puts_channels_last(spec),
                             .worker = worker,
                             .zero_init_gamma = spec.zero_init_gamma,
                             .options = spec.model_options};
  auto model = spec.model.starts_with(contract::kScriptModel)
                   ? make_script_model(script_of(spec), context)
                   : base::find(model_table(), "model", spec.model).make(context);
  parts.parameters = total_parameter_count(*model);
  if (!spec.frozen.empty()) freeze_beginnings(*model, spec.frozen);
  parts.trainable_parameters = parameter_count(*model);
  return model;
}

/// Creates all parts that need no communication with other ranks. The parallel style needs
/// communication and is not created.
TrainerParts make_local_parts(const contract::RunSpec& spec, int rank, int local_rank) {
  auto dataset = load_dataset(spec);
  const DataShare share = share_of(spec, rank);
  const DistributedSampler sampler = make_sampler(spec, *dataset, {share.index, share.count});
  auto device = base::find(device_table(), "device", spec.resources.device)
                    .make({.local_rank = local_rank,
                           .cores = spec.resources.cores_per_rank,
                           .tf32 = spec.precision == "tf32"});
  const TaskEntry& task = task_of_model(spec.model);
  const LoaderPlace place{.pinned = device->fetches_pinned(),
                          .gpu = device->torch_device().index(),
                          .channels_last = puts_channels_last(spec)};
  const auto loader_of = [&](const Split& split) {
    return share.loads ? make_loader(spec, *dataset, split, place) : make_null_loader();
  };
  auto train_loader = loader_of(dataset->train);
  auto test_loader = loader_of(dataset->test);
  std::shared_ptr<at::Tensor> correct;
  if (task.correct != nullptr) {
    correct = std::make_shared<at::Tensor>(
        at::zeros({}, at::TensorOptions(at::kLong).device(device->torch_device())));
  }
  return {
      .dataset = std::move(dataset),
      .task = &task,
      .correct = std::move(correct),
      .precision = precision_of(spec),
      .share = share,
      .evaluation_batch = std::clamp<std::int64_t>(spec.batch_per_gpu, 1, task.evaluation_batch),
      .sampler = sampler,
      .learning_rate = contract::LearningRateCurve(spec, sampler.steps_per_epoch()),
      .device = std::move(device),
      .train_loader = std::move(train_loader),
      .test_loader = std::move(test_loader)};
}

/// Returns the loss of the run. The function also counts the correctly classified samples. Every
/// style computes the loss of each training sample on exactly one rank, so the sum of the counts
/// over ranks is correct for all styles. A CUDA graph that records the loss also records the count.
decltype(StyleContext::loss) make_loss(const TrainerParts& parts, double smoothing) {
  return [task = parts.task, correct = parts.correct, smoothing](const at::Tensor& output,
                                                                 const at::Tensor& target) {
    if (correct != nullptr) {
      const at::NoGradGuard no_gradients;
      correct->add_(task->correct(output, target));
    }
    return task->loss(output, target, smoothing);
  };
}

std::string in_words(const Dataset& data) {
  return fmt::format("{} training and {} test samples of {} classes{}{}", data.train.size(),
                     data.test.size(), data.classes, data.sha256.empty() ? "" : ", SHA-256 ",
                     data.sha256);
}

/// **Collective.** Throws on all ranks when a rank's data set differs from the data set of rank 0.
/// A node may hold an outdated or incomplete copy of the data set. Without this check, the ranks of
/// such a node would train on wrong samples or run a different number of steps than other ranks.
void require_same_data(const Dataset& data, CollectiveQueue& queue) {
  const std::string here = in_words(data);
  const std::string of_root = broadcast_text(here, queue);
  all_or_none(queue, [&] {
    if (here == of_root) return;
    throw base::RunError(
        fmt::format(
            "its data set has {}, but that of rank 0 has {}; give every node the same files", here,
            of_root),
        contract::kExitData);
  });
}

}  // namespace

TrainerParts assemble(const contract::RunSpec& spec, int local_rank, CollectiveQueue& queue,
                      const base::Clock& clock) {
  std::optional<TrainerParts> parts;
  std::unique_ptr<RankStatistics> statistics = statistics_of(spec, queue, clock);
  std::unique_ptr<Model> model;
  all_or_none(queue, [&] {
    parts.emplace(make_local_parts(spec, queue.rank(), local_rank));
    parts->statistics = std::move(statistics);
    model = make_model(spec, *parts->device, *parts, queue.rank());
    if (queue.rank() != 0) return;
    if (!spec.weights.empty()) load_weights(*model, file_of(spec.weights, "weights"));
    parts->digests = digests_of(spec);
  });
  require_same_data(*parts->dataset, queue);
  std::vector<at::Tensor> state;
  for (const NamedTensor& part : model->state()) state.push_back(part.tensor.detach());
  broadcast_from_root(state, queue);
  parts->style = make_style(
      {.spec = spec,
       .model = std::move(model),
       .sample = parts->dataset->sample_shape(),
       .loss = make_loss(*parts, spec.label_smoothing),
       .is_text = parts->dataset->is_text(),
       .make_optimizer =
           [&spec](const Stepped& stepped) {
             return base::find(optimizer_table(), "optimizer", spec.optimizer.kind)
                 .make(spec.optimizer, stepped);
           },
       .make_model =
           [&, worker = queue.rank()](const Device& device) mutable {
             return make_model(spec, device, *parts, ++worker);
           },
       .placement = parts->placement,
       .device = *parts->device,
       .queue = queue,
       .clock = clock,
       .environment = ::getenv,
       .warn = [](const std::string& text) { fmt::print(stderr, "dlscale-train: {}\n", text); }});
  return std::move(*parts);
}

}  // namespace dlscale::trainer
