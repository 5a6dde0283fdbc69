// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/registry.hpp"
#include "contract/json_codec.hpp"
#include "contract/run_spec_fields.hpp"
#include "contract/vocabulary.hpp"

namespace dlscale::contract {
namespace {

/// Collects the checks on one file; each says the key and what is wrong with it.
struct Checker {
  std::string file;

  void require(bool holds, const char* key, const std::string& message) const {
    if (!holds) throw base::SpecError({file}, key, message);
  }
  void known(const char* family, const char* key, const std::string& name) const {
    require(is_known(family, name), key, base::unknown_name(family, name, vocabulary(family)));
  }
  void one_of(const char* key, const std::string& value, std::vector<std::string> choices) const {
    for (const auto& choice : choices) {
      if (choice == value) return;
    }
    require(false, key, base::unknown_name("value", value, choices));
  }
  void finite_at_least(double minimum, const char* key, double value) const {
    require(std::isfinite(value) && value >= minimum, key,
            fmt::format("must be at least {}, is {}", minimum, value));
  }
  void at_least(std::int64_t minimum, const char* key, std::int64_t value) const {
    require(value >= minimum, key, fmt::format("must be at least {}, is {}", minimum, value));
  }
};

void validate_names(const RunSpec& spec, const Checker& check) {
  check.known("framework", "framework", spec.framework);
  check.known("model", "model", spec.model);
  check.known("loader", "loader", spec.loader);
  check.known("dataset", "dataset.kind", spec.dataset.kind);
  check.known("lr_schedule", "lr_schedule.kind", spec.lr_schedule.kind);
  check.known("optimizer", "optimizer.kind", spec.optimizer.kind);
  check.known("device", "resources.device", spec.resources.device);
  check.known("communicator", "resources.communicator", spec.resources.communicator);
  check.one_of("scaling", spec.scaling, {"weak", "strong", "throughput"});
  check.one_of("precision", spec.precision, {"fp32", "fp64"});
  check.one_of("last_batch", spec.last_batch, {"pad", "drop"});
  check.one_of("lr.scale", spec.lr.scale, {"linear", "sqrt", "none"});
  check.one_of("lr_schedule.update", spec.lr_schedule.update, {"step", "epoch"});
  check.one_of("lr_schedule.origin", spec.lr_schedule.origin, {"start", "after_warmup"});
}

void validate_sizes(const RunSpec& spec, const Checker& check) {
  check.at_least(1, "gpus", spec.gpus);
  check.at_least(1, "batch_per_gpu", spec.batch_per_gpu);
  check.at_least(1, "accumulation_steps", spec.accumulation_steps);
  const std::int64_t product = spec.batch_per_gpu * spec.gpus * spec.accumulation_steps;
  check.require(spec.global_batch == product, "global_batch",
                fmt::format("is {}, but batch_per_gpu x gpus x accumulation_steps is {}",
                            spec.global_batch, product));
  check.at_least(1, "epochs", spec.epochs);
  check.at_least(1, "repetition", spec.repetition);
  check.at_least(1, "window_steps", spec.window_steps);
  check.at_least(1, "evaluate_every", spec.evaluate_every);
  check.at_least(0, "dataset.train_samples", spec.dataset.train_samples);
  check.at_least(0, "dataset.test_samples", spec.dataset.test_samples);
  check.at_least(1, "resources.cores_per_rank", spec.resources.cores_per_rank);
}

void validate_recipe(const RunSpec& spec, const Checker& check) {
  check.finite_at_least(0, "warmup_epochs", spec.warmup_epochs);
  check.finite_at_least(0, "lr.base", spec.lr.base);
  check.finite_at_least(0, "lr.peak", spec.lr.peak);
  check.finite_at_least(0, "optimizer.momentum", spec.optimizer.momentum);
  check.finite_at_least(0, "optimizer.weight_decay", spec.optimizer.weight_decay);
  check.require(
      !spec.optimizer.nesterov || (spec.optimizer.momentum > 0 && spec.optimizer.dampening == 0),
      "optimizer.nesterov", "needs momentum above 0 and dampening 0");
  check.finite_at_least(0, "label_smoothing", spec.label_smoothing);
  check.require(spec.label_smoothing < 1, "label_smoothing", "must be below 1");
  check.finite_at_least(0, "lr_schedule.factor", spec.lr_schedule.factor);
  check.finite_at_least(0, "lr_schedule.every_epochs", spec.lr_schedule.every_epochs);
  check.finite_at_least(0, "lr_schedule.gamma", spec.lr_schedule.gamma);
  check.finite_at_least(0, "lr_schedule.lr_min", spec.lr_schedule.lr_min);
  check.finite_at_least(0, "lr_schedule.t_max_epochs", spec.lr_schedule.t_max_epochs);
  for (double milestone : spec.lr_schedule.milestones) {
    check.finite_at_least(0, "lr_schedule.milestones", milestone);
  }
}

}  // namespace

std::string to_json(const RunSpec& spec) {
  return codec::to_text(codec::to_value(spec), 2) + "\n";
}

RunSpec run_spec_from_json(std::string_view text, std::string_view file) {
  const auto spec = codec::read_object<RunSpec>(text, file);
  if (spec.schema_version > kRunSpecVersion) {
    throw base::SpecError({std::string(file)}, "schema_version",
                          fmt::format("is {}, this build reads up to {}; use a newer dlscale-train",
                                      spec.schema_version, kRunSpecVersion));
  }
  validate(spec, file);
  return spec;
}

void validate(const RunSpec& spec, std::string_view file) {
  const Checker check{std::string(file)};
  validate_names(spec, check);
  validate_sizes(spec, check);
  validate_recipe(spec, check);
}

}  // namespace dlscale::contract
