// SPDX-License-Identifier: Apache-2.0
#include "predict/workload.hpp"

#include "base/error.hpp"
#include "contract/records/model_card.hpp"
#include "contract/run_spec/framework_styles.hpp"

namespace dlscale::predict {
namespace {

using contract::StepModel;

constexpr std::int64_t kColours = 3;
constexpr int kUsualSide = 224;  // default side of images in pixels
constexpr int kImageNetClasses = 1000;
/// Cost of a reduce-scatter or an all-gather relative to an all-reduce, in hops and in bytes.
constexpr double kHalf = 0.5;

Bytes mebibytes(double count) {
  return kMebibyte * count;
}

StepModel step_model(const contract::RunSpec& run) {
  return contract::framework_style(run.framework).step_model;
}

/// Returns the bytes sent per byte of gradients.
double compression(const contract::RunSpec& run) {
  constexpr Bytes kSixteenBits{2};
  const std::string& travels_as = run.framework_options.compression;
  if (travels_as != "fp16" && travels_as != "bf16") return 1;
  return kSixteenBits / number_width(run.precision);
}

Bytes reduce_bucket(const contract::RunSpec& run) {
  return number_width(run.precision) *
         static_cast<double>(run.framework_options.reduce_bucket_elements);
}

/// Returns whether ZeRO fills the next bucket while another bucket is being reduced. Only ZeRO
/// stages 1 and 2 with overlap_comm = "on" do this.
bool fills_beside(const contract::RunSpec& run) {
  const int stage = run.framework_options.zero_stage;
  return (stage == 1 || stage == 2) && run.framework_options.overlap_comm == "on";
}

/// Returns the settings for the exchange of gradients and parameters in the stages of ZeRO, as
/// described in docs/frameworks.md.
StepSetting deepspeed_setting(const contract::RunSpec& run) {
  const contract::FrameworkOptions& options = run.framework_options;
  StepSetting setting{.agreement = Agreement::at_once,
                      .first_bucket = reduce_bucket(run),
                      .bucket = reduce_bucket(run)};
  const int stage = options.zero_stage;
  if (stage == 0) return setting;
  if (stage == 3) {
    if (options.overlap_comm != "off") setting.agreement = Agreement::buckets;
    setting.by_block = true;
    // All ranks gather the parameters twice, before the forward pass and before the backward pass.
    // They also send each gradient to the rank that owns it. Each of these three exchanges costs
    // half of an all-reduce.
    setting.volume = 3 * kHalf;
    setting.every_pass = true;
    return setting;
  }
  if (fills_beside(run)) setting.agreement = Agreement::buckets;
  // A rank receives only the gradients that it owns.
  if (options.use_reduce_scatter) setting.volume = kHalf;
  setting.after_step = kHalf;
  setting.every_pass = stage == 2 || fills_beside(run);
  return setting;
}

}  // namespace

std::optional<SampleShape> sample_shape(const contract::DatasetSpec& dataset) {
  const auto with = [&](std::vector<std::int64_t> input, int classes) {
    if (dataset.classes > 0) classes = dataset.classes;
    if (dataset.first_classes > 0) classes = dataset.first_classes;
    return SampleShape{std::move(input), classes};
  };
  constexpr int kTen = 10;
  const std::string& kind = dataset.kind;
  if (kind == "cifar10") return with({kColours, 32, 32}, kTen);
  if (kind == "mnist" || kind == "fashion_mnist" || kind == "synthetic_digits") {
    return with({1, 28, 28}, kTen);
  }
  if (kind == "image_folder" || kind == "tfrecord") {
    const int side = dataset.image_size > 0 ? dataset.image_size : kUsualSide;
    return with({kColours, side, side}, kImageNetClasses);
  }
  if (kind != "synthetic") return std::nullopt;
  try {
    return with(dataset.shape.empty() ? std::vector<std::int64_t>{kColours, kUsualSide, kUsualSide}
                                      : contract::shape_from_text(dataset.shape),
                kImageNetClasses);
  } catch (const base::UsageError&) {
    return std::nullopt;  // invalid shape, which the trainer reports
  }
}

std::string card_precision(const std::string& precision) {
  if (precision == "tf32") return "fp32";
  return precision == "fp16" ? "bf16" : precision;
}

std::string card_file_name(const contract::RunSpec& run, const SampleShape& shape) {
  return contract::card_file_name(run.model, shape.input, shape.classes,
                                  card_precision(run.precision), run.model_options);
}

std::string not_modelled(const contract::RunSpec& run) {
  if (!run.trainer.command.empty()) return "an external trainer's steps are not modelled";
  if (!run.frozen.empty()) {
    return "partly frozen models are not modelled, because cost models assume that all parameters "
           "are trained";
  }
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  if (style.reads("powersgd_rank") && run.framework_options.compression == "powersgd") {
    return "compression = \"powersgd\" is not modelled, only the compressions fp16 and bf16 are";
  }
  if (style.step_model != StepModel::none) return "";
  return "the steps of " + run.framework +
         " are not modelled, only the steps of data-parallel replicas are";
}

std::string memory_not_modelled(const contract::RunSpec& run) {
  if (!run.mode.empty()) return "the memory of inference is not modelled";
  if (step_model(run) != StepModel::central) return "";
  return "the memory of " + run.framework +
         " is not modelled, because the first device keeps more than the other devices";
}

std::vector<std::string> not_counted(const contract::RunSpec& run) {
  const contract::FrameworkOptions& options = run.framework_options;
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  std::vector<std::string> notes;
  if (style.reads("offload_optimizer") && options.offload_optimizer) {
    notes.emplace_back(
        "offload_optimizer: copies to and from host memory are not counted, and the optimizer step "
        "takes as long as on the device");
  }
  if (run.batch_norm == "synchronised") {
    notes.emplace_back("batch_norm = \"synchronised\": the exchange of statistics is not counted");
  }
  if (style.reads("hierarchical_all_reduce") && options.hierarchical_all_reduce) {
    notes.emplace_back(
        "hierarchical_all_reduce: all-reduces are predicted as if this setting were off");
  }
  if (style.reads("autotune") && options.autotune) {
    notes.emplace_back(
        "autotune: fusion_threshold_mb and cycle_time_ms are predicted as configured");
  }
  const std::string& algorithm = run.all_reduce;
  if (!algorithm.empty() && algorithm != "auto" && algorithm != "ring") {
    notes.push_back(
        "all_reduce = \"" + algorithm +
        "\": all-reduces are predicted from measured times, or as the faster of ring and tree");
  }
  return notes;
}

StepSetting step_setting(const contract::RunSpec& run) {
  const contract::FrameworkOptions& options = run.framework_options;
  const StepModel model = step_model(run);
  StepSetting setting;
  if (model == StepModel::zero) {
    setting = deepspeed_setting(run);
  } else if (model == StepModel::buckets) {
    setting.first_bucket = mebibytes(options.first_bucket_mb);
    setting.bucket = mebibytes(options.bucket_cap_mb);
    setting.compression = compression(run);
  } else if (model == StepModel::fusion) {
    setting.compression = compression(run);
    // The limit applies to the sent bytes, because Horovod compresses gradients before it fuses
    // them.
    setting.bucket = mebibytes(options.fusion_threshold_mb) / setting.compression;
    setting.first_bucket = setting.bucket;
    setting.cycle = microseconds(options.cycle_time_ms * 1000) / 2;  // average wait: half a cycle
  } else if (model == StepModel::central) {
    setting.agreement = Agreement::central;
    setting.sends_in_parallel =
        contract::framework_style(run.framework).processes == contract::Processes::one;
  } else {
    setting.agreement = Agreement::each_gradient;
  }
  setting.forward_only = !run.mode.empty();
  setting.passes = run.accumulation_steps;
  return setting;
}

AllReduce all_reduce_of(const contract::RunSpec& run, const Network& network) {
  return run.all_reduce == "ring" ? AllReduce::ring : network.algorithm;
}

MemorySetting memory_setting(const contract::RunSpec& run) {
  const contract::FrameworkOptions& options = run.framework_options;
  MemorySetting setting{
      .optimizer_states = optimizer_states(run.optimizer.kind, run.optimizer.momentum),
      .ranks = run.gpus,
      .passes = run.accumulation_steps};
  if (run.ema_decay > 0) ++setting.optimizer_states;  // moving average of the parameters
  const StepModel model = step_model(run);
  if (model == StepModel::buckets) {
    setting.buckets = true;
    setting.gradients_in_buckets = options.gradient_as_bucket_view;
  } else if (model == StepModel::fusion && run.gpus > 1) {
    setting.buckets = true;
    setting.gradients_in_buckets = false;
    setting.bucket_limit = mebibytes(options.fusion_threshold_mb);
    if (compression(run) < 1) setting.compressed = compression(run);
  } else if (model == StepModel::zero) {
    setting.zero_stage = options.zero_stage;
    setting.buckets = options.zero_stage < 3;
    setting.gradients_in_buckets = false;
    setting.bucket_limit = reduce_bucket(run);
    setting.bucket_grows = true;
    setting.fills_beside = fills_beside(run);
    setting.prefetch = number_width(run.precision) * static_cast<double>(options.prefetch_elements);
    if (options.zero_stage > 0 && options.offload_optimizer) setting.optimizer_states = 0;
  }
  return setting;
}

}  // namespace dlscale::predict
