// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/run_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/registry.hpp"
#include "contract/json/codec.hpp"
#include "contract/run_spec/run_id.hpp"
#include "contract/run_spec/run_spec_fields.hpp"
#include "contract/run_spec/vocabulary.hpp"

namespace dlscale::contract {
namespace {

/// Checker of the values of one file. A failed check reports the key and the problem. Messages are
/// built only for failures, because planning checks many thousand runs.
struct Checker {
  std::string file;

  [[noreturn]] void fail(const char* key, const std::string& message) const {
    throw base::SpecError({file}, key, message);
  }
  void require(bool holds, const char* key, const char* message) const {
    if (!holds) fail(key, message);
  }
  void known(const char* family, const char* key, const std::string& name) const {
    if (is_known(family, name)) return;
    fail(key, base::unknown_name(family, name, vocabulary(family)));
  }
  void one_of(const char* key, const std::string& value,
              std::initializer_list<const char*> choices) const {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
    fail(key, base::unknown_name("value", value, {choices.begin(), choices.end()}));
  }
  void finite_at_least(double minimum, const char* key, double value) const {
    if (std::isfinite(value) && value >= minimum) return;
    fail(key, fmt::format("must be at least {} (got {})", minimum, value));
  }
  void at_least(std::int64_t minimum, const char* key, std::int64_t value) const {
    if (value >= minimum) return;
    fail(key, fmt::format("must be at least {} (got {})", minimum, value));
  }
};

/// Checks the names of a run of an external trainer. dlscale does not know these names, but they
/// become parts of run ids, which name folders. A name that the study does not state is empty.
void validate_plain(const RunSpec& spec, const Checker& check) {
  const std::pair<const char*, const std::string*> names[] = {
      {"framework", &spec.framework},
      {"model", &spec.model},
      {"loader", &spec.loader},
      {"dataset.kind", &spec.dataset.kind},
      {"lr_schedule.kind", &spec.lr_schedule.kind},
      {"optimizer.kind", &spec.optimizer.kind}};
  for (const auto& [key, name] : names) {
    const bool plain = std::all_of(name->begin(), name->end(), [](unsigned char c) {
      return (c < 128 && std::isalnum(c)) || c == '.' || c == '_' || c == '-';
    });
    check.require(
        plain && !name->starts_with('.') && !name->starts_with('-'), key,
        "may contain only letters, digits and . _ -, and must begin with a letter, a digit or _");
  }
}

/// Checks the lengths of names that become names of folders and files. File systems allow 255 bytes
/// per name, and dlscale adds numbers and endings to these names.
void validate_lengths(const RunSpec& spec, const Checker& check) {
  constexpr std::size_t kLongest = 160;
  const auto limit = [&](const char* key, const char* what, std::size_t length) {
    if (length <= kLongest) return;
    check.fail(key,
               fmt::format(
                   "{} has {} characters, but names of files contain it; use at most {} characters",
                   what, length, kLongest));
  };
  limit("study", "the study name", spec.study.size());
  limit("model", "the combined name of framework, model and lr_schedule",
        spec.framework.size() + model_word(spec.model).size() + spec.lr_schedule.kind.size());
}

/// Checks the names of a run of dlscale's own trainer.
void validate_known(const RunSpec& spec, const Checker& check) {
  check.known("framework", "framework", spec.framework);
  if (!spec.model.starts_with(kScriptModel)) check.known("model", "model", spec.model);
  check.known("loader", "loader", spec.loader);
  check.known("dataset", "dataset.kind", spec.dataset.kind);
  check.known("lr_schedule", "lr_schedule.kind", spec.lr_schedule.kind);
  check.known("optimizer", "optimizer.kind", spec.optimizer.kind);
  if (!spec.all_reduce.empty()) check.known("all_reduce", "all_reduce", spec.all_reduce);
  check.one_of("precision", spec.precision, {"fp32", "fp64", "tf32", "bf16", "fp16"});
  check.one_of("batch_norm", spec.batch_norm, {"", "synchronised"});
  check.one_of("memory_format", spec.memory_format, {"", "contiguous", "channels_last"});
  check.one_of("cpu_kernels", spec.cpu_kernels, {"", "framework"});
  check.one_of("gpu_kernels", spec.gpu_kernels, {"", "framework"});
  check.one_of("last_batch", spec.last_batch, {"pad", "drop"});
  check.one_of("lr.scale", spec.lr.scale, {"linear", "sqrt", "none"});
  check.one_of("lr.warmup_from", spec.lr.warmup_from, {"", "zero"});
  check.one_of("lr.warmup_update", spec.lr.warmup_update, {"", "epoch"});
  check.one_of("optimizer.decayed", spec.optimizer.decayed, {"", "weights"});
  check.one_of("dataset.resample", spec.dataset.resample, {"", "bilinear"});
  check.one_of("loader_options.on_broken", spec.loader_options.on_broken, {"", "skip"});
  check.one_of("loader_options.sample_order", spec.loader_options.sample_order, {"", "pytorch"});
  check.one_of("loader_options.hand_over", spec.loader_options.hand_over, {"", "uint8", "fp32"});
  check.one_of("model_options.cell", spec.model_options.cell, {"", "gru", "lstm"});
}

void validate_names(const RunSpec& spec, const Checker& check) {
  if (spec.trainer.command.empty()) {
    validate_known(spec, check);
  } else {
    validate_plain(spec, check);
  }
  check.known("device", "resources.device", spec.resources.device);
  check.known("communicator", "resources.communicator", spec.resources.communicator);
  check.require(spec.mode.empty() || spec.mode == "inference", "mode",
                "must be \"inference\"; omit this key for training");
  check.one_of("lr_schedule.update", spec.lr_schedule.update, {"step", "epoch"});
  check.one_of("lr_schedule.origin", spec.lr_schedule.origin, {"start", "after_warmup"});
}

/// Checks the settings that convert images of any size to images of one size.
void validate_pictures(const DatasetSpec& set, const Checker& check) {
  const auto bounds = [&](const char* key, const std::vector<double>& pair) {
    check.require(pair.empty() || (pair.size() == 2 && pair[0] > 0 && pair[0] <= pair[1] &&
                                   std::isfinite(pair[1])),
                  key, "must be two numbers above 0, the smaller one first");
  };
  bounds("dataset.crop_scale", set.crop_scale);
  bounds("dataset.crop_ratio", set.crop_ratio);
  check.require(set.crop_scale.empty() || set.crop_scale[1] <= 1, "dataset.crop_scale",
                "must be at most 1 (the whole image)");
  constexpr int kLargest = 8192;  // largest side for which a batch fits into memory
  check.require(set.image_size <= kLargest, "dataset.image_size", "must be at most 8192");
  check.require(set.resize <= kLargest, "dataset.resize", "must be at most 8192");
  check.require(set.resize == 0 || set.resize >= set.image_size, "dataset.resize",
                "must be at least dataset.image_size, because images are cropped to "
                "dataset.image_size after resizing");
  if (set.image_size > 0) return;
  check.require(set.resize == 0, "dataset.resize", "needs dataset.image_size");
  check.require(set.crop_scale.empty(), "dataset.crop_scale", "needs dataset.image_size");
  check.require(set.crop_ratio.empty(), "dataset.crop_ratio", "needs dataset.image_size");
  check.require(set.resample.empty(), "dataset.resample", "needs dataset.image_size");
}

/// Checks that the global batch is the sum of the samples of all GPUs and accumulation steps.
void validate_batch(const RunSpec& spec, const Checker& check) {
  check.at_least(1, "gpus", spec.gpus);
  check.at_least(1, "batch_per_gpu", spec.batch_per_gpu);
  check.at_least(1, "accumulation_steps", spec.accumulation_steps);
  check.one_of("uneven_batch", spec.uneven_batch, {"", kSpreadBatch});
  const std::int64_t parts = std::int64_t{spec.gpus} * spec.accumulation_steps;
  const std::int64_t product = spec.batch_per_gpu * parts;
  if (spec.uneven_batch.empty() && spec.global_batch != product) {
    check.fail("global_batch",
               fmt::format("is {}, but batch_per_gpu x gpus x accumulation_steps is {}",
                           spec.global_batch, product));
  }
  if (spec.uneven_batch.empty()) return;
  check.require(spec.global_batch >= parts, "global_batch",
                "must be at least gpus x accumulation_steps, so that every part has a sample");
  const std::int64_t largest = (spec.global_batch + parts - 1) / parts;
  if (spec.batch_per_gpu == largest) return;
  check.fail(
      "batch_per_gpu",
      fmt::format("is {}, but the largest part of {} samples for {} GPUs and {} accumulation "
                  "steps has {} samples",
                  spec.batch_per_gpu, spec.global_batch, spec.gpus, spec.accumulation_steps,
                  largest));
}

void validate_sizes(const RunSpec& spec, const Checker& check) {
  validate_batch(spec, check);
  const bool needs_epochs = spec.trainer.command.empty() && spec.steps == 0;
  check.at_least(needs_epochs ? 1 : 0, "epochs", spec.epochs);
  check.at_least(0, "steps", spec.steps);
  check.require(spec.steps == 0 || spec.epochs == 0, "steps",
                "gives the length of the run, so epochs must be 0");
  check.at_least(1, "repetition", spec.repetition);
  check.at_least(1, "window_steps", spec.window_steps);
  check.at_least(1, "evaluate_every", spec.evaluate_every);
  check.at_least(0, "checkpoint.every_epochs", spec.checkpoint.every_epochs);
  check.finite_at_least(0, "checkpoint.every_minutes", spec.checkpoint.every_minutes);
  check.at_least(0, "dataset.train_samples", spec.dataset.train_samples);
  check.at_least(0, "dataset.test_samples", spec.dataset.test_samples);
  const std::pair<const char*, int> counts[] = {
      {"dataset.classes", spec.dataset.classes},
      {"dataset.first_classes", spec.dataset.first_classes},
      {"dataset.random_crop", spec.dataset.random_crop},
      {"dataset.image_size", spec.dataset.image_size},
      {"dataset.resize", spec.dataset.resize},
      {"dataset.folds", spec.dataset.folds},
      {"dataset.fold", spec.dataset.fold},
      {"dataset.vocabulary", spec.dataset.vocabulary},
      {"dataset.min_count", spec.dataset.min_count},
      {"dataset.max_length", spec.dataset.max_length},
      {"loader_options.threads", spec.loader_options.threads},
      {"loader_options.prefetch", spec.loader_options.prefetch},
      {"loader_options.shuffle_window", spec.loader_options.shuffle_window},
      {"model_options.classifier_hidden", spec.model_options.classifier_hidden},
      {"model_options.embedding", spec.model_options.embedding},
      {"model_options.hidden", spec.model_options.hidden},
      {"checkpoint.keep", spec.checkpoint.keep},
      {"plateau_epochs", spec.plateau_epochs},
      {"profile_epochs", spec.profile_epochs}};
  for (const auto& [key, value] : counts) check.at_least(0, key, value);
  check.require(spec.dataset.folds == 0 ||
                    (spec.dataset.fold >= 1 && spec.dataset.fold <= spec.dataset.folds),
                "dataset.fold", "must be between 1 and dataset.folds");
  check.require(spec.dataset.folds > 0 || spec.dataset.fold == 0, "dataset.fold",
                "needs dataset.folds");
  check.require(spec.dataset.folds != 1, "dataset.folds", "must be at least 2");
  check.require(spec.loader_options.shuffle_window == 0 || spec.loader_options.sample_order.empty(),
                "loader_options.shuffle_window",
                "cannot be combined with sample_order \"pytorch\"; leave out one of the two");
  check.require(spec.profile || spec.profile_epochs == 0, "profile_epochs", "needs profile");
  validate_pictures(spec.dataset, check);
  check.at_least(1, "resources.cores_per_rank", spec.resources.cores_per_rank);
}

void validate_optimizer(const OptimizerSpec& optimizer, const Checker& check) {
  check.finite_at_least(0, "optimizer.momentum", optimizer.momentum);
  check.finite_at_least(0, "optimizer.dampening", optimizer.dampening);
  check.require(optimizer.dampening <= 1, "optimizer.dampening", "must be at most 1");
  check.finite_at_least(0, "optimizer.weight_decay", optimizer.weight_decay);
  check.require(!optimizer.nesterov || (optimizer.momentum > 0 && optimizer.dampening == 0),
                "optimizer.nesterov", "needs momentum above 0 and dampening 0");
  const std::pair<const char*, double> betas[] = {{"optimizer.adam.beta1", optimizer.adam.beta1},
                                                  {"optimizer.adam.beta2", optimizer.adam.beta2}};
  for (const auto& [key, beta] : betas) {
    check.finite_at_least(0, key, beta);
    check.require(beta < 1, key, "must be below 1");
  }
  check.finite_at_least(0, "optimizer.adam.epsilon", optimizer.adam.epsilon);
  check.finite_at_least(0, "optimizer.lars.trust_coefficient", optimizer.lars.trust_coefficient);
  check.finite_at_least(0, "optimizer.lars.epsilon", optimizer.lars.epsilon);
}

void validate_recipe(const RunSpec& spec, const Checker& check) {
  check.finite_at_least(0, "warmup_epochs", spec.warmup_epochs);
  check.at_least(0, "lr.warmup_steps", spec.lr.warmup_steps);
  check.finite_at_least(0, "lr.base", spec.lr.base);
  check.finite_at_least(0, "lr.peak", spec.lr.peak);
  validate_optimizer(spec.optimizer, check);
  check.finite_at_least(0, "label_smoothing", spec.label_smoothing);
  check.require(spec.label_smoothing < 1, "label_smoothing", "must be below 1");
  check.finite_at_least(0, "clip_norm", spec.clip_norm);
  check.finite_at_least(0, "ema_decay", spec.ema_decay);
  check.require(spec.ema_decay < 1, "ema_decay", "must be below 1");
  check.finite_at_least(0, "target.accuracy", spec.target.accuracy);
  check.require(spec.target.accuracy <= 1, "target.accuracy", "must be at most 1");
  check.finite_at_least(0, "target.loss", spec.target.loss);
  check.finite_at_least(0, "target.bleu", spec.target.bleu);
  check.require(spec.target.bleu <= 100, "target.bleu", "must be at most 100");
  check.finite_at_least(0, "target.train_loss", spec.target.train_loss);
  check.require(!spec.target.stop || spec.target.is_set(), "target.stop",
                "needs target.accuracy, target.loss, target.bleu or target.train_loss");
  check.finite_at_least(0, "model_options.dropout", spec.model_options.dropout);
  check.require(spec.model_options.dropout < 1, "model_options.dropout", "must be below 1");
  check.finite_at_least(0, "lr_schedule.factor", spec.lr_schedule.factor);
  check.finite_at_least(0, "lr_schedule.every_epochs", spec.lr_schedule.every_epochs);
  check.finite_at_least(0, "lr_schedule.gamma", spec.lr_schedule.gamma);
  check.finite_at_least(0, "lr_schedule.lr_min", spec.lr_schedule.lr_min);
  check.finite_at_least(0, "lr_schedule.t_max_epochs", spec.lr_schedule.t_max_epochs);
  check.finite_at_least(0, "lr_schedule.power", spec.lr_schedule.power);
  for (double milestone : spec.lr_schedule.milestones) {
    check.finite_at_least(0, "lr_schedule.milestones", milestone);
  }
}

void validate_options(const FrameworkOptions& options, const Checker& check) {
  check.one_of("framework_options.compression", options.compression,
               {"none", "fp16", "bf16", "powersgd"});
  check.one_of("framework_options.overlap_comm", options.overlap_comm, {"auto", "on", "off"});
  check.one_of("framework_options.balance", options.balance, {"cost", "parameters", "blocks"});
  check.one_of("framework_options.pipeline_schedule", options.pipeline_schedule, {"1f1b", "gpipe"});
  const std::pair<const char*, std::int64_t> at_least_one[] = {
      {"framework_options.reduce_bucket_elements", options.reduce_bucket_elements},
      {"framework_options.allgather_bucket_elements", options.allgather_bucket_elements},
      {"framework_options.powersgd_rank", options.powersgd_rank},
      {"framework_options.model_parallel_size", options.model_parallel_size},
      {"framework_options.micro_batches", options.micro_batches}};
  for (const auto& [key, value] : at_least_one) check.at_least(1, key, value);
  const std::pair<const char*, double> at_least_zero[] = {
      {"framework_options.bucket_cap_mb", options.bucket_cap_mb},
      {"framework_options.first_bucket_mb", options.first_bucket_mb},
      {"framework_options.fusion_threshold_mb", options.fusion_threshold_mb},
      {"framework_options.cycle_time_ms", options.cycle_time_ms},
      {"framework_options.cache_capacity", options.cache_capacity},
      {"framework_options.powersgd_start_step", options.powersgd_start_step},
      {"framework_options.prefetch_elements", static_cast<double>(options.prefetch_elements)},
      {"framework_options.persistence_threshold_elements",
       static_cast<double>(options.persistence_threshold_elements)}};
  for (const auto& [key, value] : at_least_zero) check.finite_at_least(0, key, value);
  check.at_least(0, "framework_options.zero_stage", options.zero_stage);
  check.require(options.zero_stage <= 3, "framework_options.zero_stage", "must be at most 3");
}

/// Returns the keys that no program reads: options of other frameworks and, for a run of an
/// external trainer, settings that only dlscale-train reads and that have their default values.
std::vector<std::string_view> idle_keys(const RunSpec& spec) {
  static const RunSpec kUnsaid;
  std::vector<std::string_view> keys = foreign_options(spec.framework);
  if (spec.trainer.command.empty()) return keys;
  if (spec.framework_options == kUnsaid.framework_options) keys.push_back("framework_options");
  if (spec.window_steps == kUnsaid.window_steps) keys.push_back("window_steps");
  if (spec.evaluate_every == kUnsaid.evaluate_every) keys.push_back("evaluate_every");
  return keys;
}

std::string to_text(const RunSpec& spec, codec::Layout layout) {
  const std::vector<std::string_view> idle = idle_keys(spec);
  codec::TextWriter writer(layout, idle);
  writer.write(spec);
  return writer.release_text();
}

}  // namespace

std::string to_json(const RunSpec& spec) {
  return to_text(spec, codec::kIndented) + "\n";
}

std::string to_json_line(const RunSpec& spec) {
  return to_text(spec, codec::kOneLine);
}

RunSpec run_spec_from_json(std::string_view text, std::string_view file) {
  const auto spec = codec::read_object<RunSpec>(text, file);
  if (spec.schema_version > kRunSpecVersion) {
    throw base::SpecError(
        {std::string(file)}, "schema_version",
        fmt::format("is {}, but this build supports at most {}; use a newer dlscale-train",
                    spec.schema_version, kRunSpecVersion));
  }
  validate(spec, file);
  return spec;
}

void validate(const RunSpec& spec, std::string_view file) {
  const Checker check{std::string(file)};
  validate_names(spec, check);
  validate_lengths(spec, check);
  validate_sizes(spec, check);
  validate_recipe(spec, check);
  if (spec.trainer.command.empty()) validate_options(spec.framework_options, check);
}

}  // namespace dlscale::contract
