// SPDX-License-Identifier: Apache-2.0
#include "validation/settings.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/run_spec/framework_styles.hpp"

namespace dlscale::validation {
namespace {

using Options = contract::FrameworkOptions;

const Options& defaults() {
  static const Options kDefaults;
  return kDefaults;
}

template <auto Member>
bool is_set(const Options& options) {
  return options.*Member != defaults().*Member;
}

/// Returns the names of the framework styles that read `option`, as a list for messages: "ddp",
/// "ddp and hybrid" or "layerwise, pipeline and hybrid".
std::string readers_of(std::string_view option) {
  std::vector<std::string_view> names;
  for (const contract::FrameworkStyle& style : contract::framework_styles()) {
    if (style.reads(option)) names.push_back(style.name);
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
    list += names[i];
  }
  return list;
}

/// Returns the first option that differs from its default although the framework does not read it.
/// A study contains only the options of each framework. Only run descriptions that were not planned
/// by dlscale can therefore have such an option.
std::optional<Conflict> find_foreign_option(const contract::RunSpec& run) {
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  if (style.name.empty()) return {};
  for (const std::string_view option : contract::changed_options(run.framework_options)) {
    if (style.reads(option)) continue;
    return Conflict{fmt::format("framework_options.{}", option),
                    fmt::format("is an option of {} and has no effect with {}; omit this key",
                                readers_of(option), run.framework)};
  }
  return {};
}

/// ZeRO option that only the stages `first` to `last` use.
struct StagesOption {
  const char* key;
  bool (*is_set)(const Options& options);
  int first, last;
};

constexpr StagesOption kOfStages[] = {
    {"framework_options.reduce_bucket_elements", is_set<&Options::reduce_bucket_elements>, 0, 2},
    {"framework_options.allgather_bucket_elements", is_set<&Options::allgather_bucket_elements>, 1,
     2},
    {"framework_options.use_reduce_scatter", is_set<&Options::use_reduce_scatter>, 1, 2},
    {"framework_options.overlap_comm",
     [](const Options& options) { return options.overlap_comm == "on"; }, 1, 3},
    {"framework_options.prefetch_elements", is_set<&Options::prefetch_elements>, 3, 3},
    {"framework_options.persistence_threshold_elements",
     is_set<&Options::persistence_threshold_elements>, 3, 3}};

std::string words_of(const StagesOption& option) {
  if (option.first == option.last) return fmt::format("stage {}", option.first);
  return fmt::format("stages {} {} {}", option.first,
                     option.last == option.first + 1 ? "and" : "to", option.last);
}

std::optional<Conflict> find_option_of_other_stages(const contract::RunSpec& run) {
  if (!contract::framework_style(run.framework).reads("zero_stage")) return {};
  const int stage = run.framework_options.zero_stage;
  for (const StagesOption& option : kOfStages) {
    const bool is_heeded = option.first <= stage && stage <= option.last;
    if (is_heeded || !option.is_set(run.framework_options)) continue;
    return Conflict{option.key,
                    fmt::format("applies to {} of ZeRO, but zero_stage is {}; omit this key",
                                words_of(option), stage)};
  }
  return {};
}

std::optional<Conflict> find_option_of_powersgd(const contract::RunSpec& run) {
  const Options& options = run.framework_options;
  if (options.compression == "powersgd") return {};
  if (!contract::framework_style(run.framework).reads("powersgd_rank")) return {};
  for (const auto& [key, said] :
       {std::pair{"framework_options.powersgd_rank", is_set<&Options::powersgd_rank>(options)},
        std::pair{"framework_options.powersgd_start_step",
                  is_set<&Options::powersgd_start_step>(options)}}) {
    if (!said) continue;
    return Conflict{
        key,
        fmt::format("applies to compression = \"powersgd\", but compression is {}; omit this key",
                    options.compression)};
  }
  return {};
}

}  // namespace

std::optional<Conflict> find_option_conflict(const contract::RunSpec& run) {
  if (run.framework_options == defaults()) return {};
  for (const auto find :
       {&find_foreign_option, &find_option_of_other_stages, &find_option_of_powersgd}) {
    if (auto found = find(run)) return found;
  }
  return {};
}

namespace {

using MaybeConflict = std::optional<Conflict>;

bool is_on_gpus(const contract::RunSpec& run) {
  return run.resources.device == "cuda";
}

/// Checks that the device supports the precision and that batch norms can be synchronised.
MaybeConflict check_arithmetic(const contract::RunSpec& run) {
  if (run.precision == "tf32" && !is_on_gpus(run)) {
    return Conflict{
        "precision",
        fmt::format("is tf32, which only NVIDIA GPUs support; on the device {} use fp32 or bf16",
                    run.resources.device)};
  }
  if (run.batch_norm != "synchronised") return {};
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  if (!style.own_statistics.empty()) {
    return Conflict{
        "batch_norm",
        fmt::format("is synchronised, but in {} {}; use the value local or another framework",
                    style.name, style.own_statistics)};
  }
  if (run.model.starts_with(contract::kScriptModel)) {
    return Conflict{
        "batch_norm",
        "is synchronised, but batch norms in a TorchScript module compute statistics per "
        "rank; use local"};
  }
  return {};
}

bool exchanges_after_passes(const contract::RunSpec& run) {
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  const contract::FrameworkOptions& options = run.framework_options;
  if (!style.exchanges_after_passes || !style.reads("zero_stage")) {
    return style.exchanges_after_passes;
  }
  return options.zero_stage <= 1 && options.overlap_comm != "on";
}

/// Checks that a CUDA graph can record the passes of a step once and replay them later. The device
/// must be a GPU, the passes must not exchange data between ranks, and the shape of the batches
/// must not change.
MaybeConflict check_graph(const contract::RunSpec& run) {
  if (!run.cuda_graph) return {};
  const auto refused = [](std::string why) { return Conflict{"cuda_graph", std::move(why)}; };
  if (!is_on_gpus(run)) {
    return refused(fmt::format(
        "is true, but CUDA graphs require the device cuda and the device is {}; omit this key",
        run.resources.device));
  }
  if (!exchanges_after_passes(run)) {
    std::string set;
    if (contract::framework_style(run.framework).reads("zero_stage")) {
      const int stage = run.framework_options.zero_stage;
      set = stage > 1 ? fmt::format(" with zero_stage {}", stage) : " with overlap_comm on";
    }
    return refused(fmt::format(
        "is true, but {}{} exchanges data during the passes, which a CUDA graph cannot record; use "
        "synchronous, or deepspeed with zero_stage 0 or 1 and without overlap_comm",
        run.framework, set));
  }
  if (run.batch_norm == "synchronised") {
    return refused(
        "is true, but synchronised batch norms exchange data during the passes, which a CUDA graph "
        "cannot record; omit this key, or use local batch norms");
  }
  if (run.loader == "text") {
    return refused(
        "is true, but batches of text vary in length and a CUDA graph has a fixed shape; omit this "
        "key");
  }
  return {};
}

MaybeConflict check_cpu_kernels(const contract::RunSpec& run) {
  if (run.cpu_kernels.empty() || !is_on_gpus(run)) return {};
  return Conflict{"cpu_kernels",
                  fmt::format("is {}, but the run is on GPUs; omit this key", run.cpu_kernels)};
}

MaybeConflict check_gpu_kernels(const contract::RunSpec& run) {
  if (run.gpu_kernels.empty() || is_on_gpus(run)) return {};
  return Conflict{"gpu_kernels",
                  fmt::format("is {}, but the run is on CPUs; omit this key", run.gpu_kernels)};
}

/// Returns why the run has no all-reduce to which the setting `all_reduce` applies. Returns an
/// empty text if the run has such an all-reduce.
std::string_view reduces_nothing(const contract::RunSpec& run) {
  if (run.mode == "inference") return "reduces no gradients in inference";
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  // Replicas of whole models all-reduce synchronised statistics even if the style does not
  // all-reduce gradients.
  const bool reduces_statistics = run.batch_norm == "synchronised" &&
                                  style.own_statistics.empty() &&
                                  style.stages == contract::Stages::one;
  return reduces_statistics ? "" : style.no_all_reduce;
}

/// Checks that settings for the algorithm of all-reduces have an effect. The run must have
/// all-reduces, and must not use NCCL, which chooses its algorithm itself.
MaybeConflict check_all_reduce(const contract::RunSpec& run) {
  const std::string_view why = reduces_nothing(run);
  if (!why.empty() && !run.all_reduce.empty() && run.all_reduce != "auto") {
    return Conflict{"all_reduce", fmt::format("is {}, but {} {}; omit this key", run.all_reduce,
                                              run.framework, why)};
  }
  if (!is_on_gpus(run)) return {};
  if (!run.all_reduce.empty() && run.all_reduce != "auto") {
    return Conflict{"all_reduce",
                    fmt::format("is {}, an algorithm of mpi; omit this key, because nccl selects "
                                "its own algorithm (environment variable NCCL_ALGO)",
                                run.all_reduce)};
  }
  if (run.framework_options.hierarchical_all_reduce) {
    return Conflict{
        "framework_options.hierarchical_all_reduce",
        "applies only to mpi; omit this key, because nccl arranges its all-reduces across "
        "nodes itself"};
  }
  return {};
}

/// Checks the framework options that cannot work with the framework or with other settings.
MaybeConflict check_options(const contract::RunSpec& run) {
  const contract::FrameworkOptions& options = run.framework_options;
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  if (options.compression == "powersgd" && !style.reads("powersgd_rank")) {
    return Conflict{"framework_options.compression",
                    "powersgd is supported only by ddp; use none, fp16 or bf16"};
  }
  if (options.compression == "powersgd" && run.precision == "fp16") {
    return Conflict{"framework_options.compression",
                    "powersgd adds the error of each step to the next step, so one overflow, which "
                    "is common with the precision fp16, would corrupt all later steps; use bf16"};
  }
  if (style.reads("static_graph") && options.static_graph && run.accumulation_steps > 1) {
    return Conflict{
        "framework_options.static_graph",
        "is true, but with several passes per step the reducer would reduce no gradients "
        "after the first step; omit this key, or set accumulation_steps to 1"};
  }
  if (!options.offload_optimizer) return {};
  if (style.reads("zero_stage") && options.zero_stage == 0) {
    return Conflict{
        "framework_options.offload_optimizer",
        "requires zero_stage 1, 2 or 3, in which each rank holds a part of the optimizer "
        "state, but zero_stage is 0"};
  }
  if (run.resources.device == "cpu") {
    return Conflict{"framework_options.offload_optimizer",
                    "applies only to GPUs; on a CPU the optimizer state is already in host memory"};
  }
  return {};
}

/// Checks that the run sets only options that its optimizer has.
MaybeConflict check_optimizer(const contract::RunSpec& run) {
  const contract::OptimizerSpec& optimizer = run.optimizer;
  const std::string& kind = optimizer.kind;
  if (kind == "sgd") return {};
  if (optimizer.nesterov)
    return Conflict{"optimizer.nesterov", "applies only to sgd; " + kind + " does not support it"};
  if (optimizer.dampening != 0) {
    return Conflict{"optimizer.dampening", "applies only to sgd; " + kind + " does not support it"};
  }
  if (kind == "lars" || optimizer.momentum == 0) return {};
  return Conflict{
      "optimizer.momentum",
      fmt::format("applies only to sgd and lars; for {} use optimizer.adam.beta1", kind)};
}

/// Checks that the ranks and the samples divide evenly among the stages of a model.
MaybeConflict check_division(const contract::RunSpec& run) {
  const contract::FrameworkOptions& options = run.framework_options;
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  if (style.stages == contract::Stages::one) return {};
  const bool is_hybrid = style.stages == contract::Stages::model_parallel_size;
  const int size = options.model_parallel_size;
  if (is_hybrid && run.gpus % size != 0) {
    return Conflict{
        "gpus",
        fmt::format("is {}, but must be a multiple of {} (framework_options.model_parallel_size)",
                    run.gpus, size)};
  }
  if (!is_hybrid && size != 1 && size != run.gpus) {
    return Conflict{
        "framework_options.model_parallel_size",
        fmt::format("is {}, but {} divides one model over all {} ranks; omit this key, or "
                    "use hybrid for several replicas",
                    size, run.framework, run.gpus)};
  }
  const std::int64_t samples =
      run.global_batch / ((is_hybrid ? run.gpus / size : 1) * run.accumulation_steps);
  if (!style.reads("micro_batches") || samples % options.micro_batches == 0) return {};
  return Conflict{
      "framework_options.micro_batches",
      fmt::format("is {}, but must divide the batch of each replica ({} samples) evenly",
                  options.micro_batches, samples)};
}

}  // namespace

std::optional<Conflict> find_uneven_batch_conflict(const contract::RunSpec& run) {
  if (run.uneven_batch.empty()) return {};
  const auto refused = [](std::string why) { return Conflict{"uneven_batch", std::move(why)}; };
  if (!run.trainer.command.empty()) {
    return refused(fmt::format(
        "is {}, but only dlscale-train can weight parts of different sizes, and the run has "
        "another training program; use floor",
        run.uneven_batch));
  }
  if (contract::framework_style(run.framework).stages != contract::Stages::one) {
    return refused(fmt::format(
        "is {}, but {} divides the model over ranks instead of averaging gradients of whole "
        "replicas; use a global batch that is a multiple of the number of GPUs, or another "
        "framework",
        run.uneven_batch, run.framework));
  }
  if (run.accumulation_steps == 1) return {};
  if (run.cuda_graph) {
    return refused(fmt::format(
        "is {}, but the {} accumulation steps have different numbers of samples and a CUDA graph "
        "has a fixed shape; omit cuda_graph, or use 1 accumulation step",
        run.uneven_batch, run.accumulation_steps));
  }
  if (run.mode != "inference") return {};
  return refused(fmt::format(
      "is {}, but inference does not accumulate gradients, and accumulation_steps is {}; set "
      "accumulation_steps to 1",
      run.uneven_batch, run.accumulation_steps));
}

namespace {

/// Checks the settings of an inference run. The run must read the test samples in order, and its
/// framework style must not divide the model over ranks.
MaybeConflict check_inference(const contract::RunSpec& run) {
  if (run.mode != "inference") return {};
  const contract::LoaderOptions& options = run.loader_options;
  for (const auto& [key, is_set] :
       {std::pair{"loader_options.shuffle_window", options.shuffle_window > 0},
        std::pair{"loader_options.sample_order", !options.sample_order.empty()}}) {
    if (!is_set) continue;
    return Conflict{
        key, "applies only to training; inference reads the samples of the test set in order"};
  }
  if (contract::framework_style(run.framework).stages == contract::Stages::one) return {};
  return Conflict{"mode", fmt::format("is inference, which needs the whole model on each rank, but "
                                      "{} divides the model over ranks; use another framework",
                                      run.framework)};
}

}  // namespace

std::optional<Conflict> find_setting_conflict(const contract::RunSpec& run) {
  for (const auto check :
       {&check_arithmetic, &check_graph, &check_cpu_kernels, &check_gpu_kernels, &check_all_reduce,
        &check_options, &find_option_conflict, &check_optimizer, &check_division,
        &find_uneven_batch_conflict, &check_inference}) {
    if (MaybeConflict found = check(run)) return found;
  }
  return {};
}

}  // namespace dlscale::validation
