// SPDX-License-Identifier: Apache-2.0
#include "predict/workload.hpp"

#include "base/error.hpp"
#include "contract/model_card.hpp"

namespace dlscale::predict {
namespace {

constexpr std::int64_t kColours = 3;
constexpr int kUsualSide = 224;  // of pictures, unless told
constexpr int kImageNetClasses = 1000;
constexpr double kWholeModel = 1.5;  // ZeRO 3 gathers parameters twice, gradients go once

bool reduces_in_buckets(const contract::RunSpec& run) {
  return run.framework == "ddp" || run.framework == "horovod";
}

/// Of what gradients travel as.
double compressed(const std::string& compression) {
  return compression == "fp16" || compression == "bf16" ? 0.5 : 1;
}

Bytes mebibytes(double count) {
  return kMebibyte * count;
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
  if (kind == "image_folder") {
    const int side = dataset.image_size > 0 ? dataset.image_size : kUsualSide;
    return with({kColours, side, side}, kImageNetClasses);
  }
  if (kind != "synthetic") return std::nullopt;
  try {
    return with(dataset.shape.empty() ? std::vector<std::int64_t>{kColours, kUsualSide, kUsualSide}
                                      : contract::shape_from_text(dataset.shape),
                kImageNetClasses);
  } catch (const base::UsageError&) {
    return std::nullopt;  // the trainer says what is wrong with it
  }
}

std::string card_precision(const std::string& precision) {
  if (precision == "tf32") return "fp32";
  return precision == "fp16" ? "bf16" : precision;
}

std::string not_modelled(const contract::RunSpec& run) {
  if (!run.trainer.command.empty()) return "an external trainer's steps are not modelled";
  if (!run.mode.empty()) return "inference is not modelled";
  for (const char* known : {"synchronous", "ddp", "horovod", "deepspeed"}) {
    if (run.framework == known) return "";
  }
  return "the steps of " + run.framework + " are not modelled, only those of replicas";
}

StepSetting step_setting(const contract::RunSpec& run) {
  const contract::FrameworkOptions& options = run.framework_options;
  StepSetting setting{.passes = run.accumulation_steps};
  if (run.framework == "ddp") {
    setting.first_bucket = mebibytes(options.first_bucket_mb);
    setting.bucket = mebibytes(options.bucket_cap_mb);
    setting.volume = compressed(options.compression);
  } else if (run.framework == "horovod") {
    setting.first_bucket = setting.bucket = mebibytes(options.fusion_threshold_mb);
    setting.volume = compressed(options.compression);
  } else if (run.framework == "deepspeed") {
    const bool overlaps =
        options.overlap_comm == "on" || (options.overlap_comm == "auto" && options.zero_stage == 3);
    setting.agreement = overlaps ? Agreement::buckets : Agreement::at_once;
    setting.first_bucket = setting.bucket =
        kSingle * static_cast<double>(options.reduce_bucket_elements);
    if (options.zero_stage == 3) setting.volume = kWholeModel;
  } else {
    setting.agreement = Agreement::each_gradient;
  }
  return setting;
}

AllReduce all_reduce_of(const contract::RunSpec& run) {
  return run.all_reduce == "ring" ? AllReduce::ring : AllReduce::fastest;
}

MemorySetting memory_setting(const contract::RunSpec& run) {
  return {.optimizer_states = optimizer_states(run.optimizer.kind, run.optimizer.momentum),
          .zero_stage = run.framework == "deepspeed" ? run.framework_options.zero_stage : 0,
          .ranks = run.gpus,
          .buckets = run.gpus > 1 && reduces_in_buckets(run),
          .gradients_in_buckets =
              run.framework == "ddp" && run.framework_options.gradient_as_bucket_view};
}

}  // namespace dlscale::predict
