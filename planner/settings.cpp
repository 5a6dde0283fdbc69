// SPDX-License-Identifier: Apache-2.0
#include "planner/settings.hpp"

#include <type_traits>
#include <utility>

#include "contract/vocabulary.hpp"

namespace dlscale::planner {
namespace {

using Kind = Symbol::Kind;
using contract::FrameworkOptions;
using contract::LrScheduleSpec;

// Each maker takes the key, what its values may be, and where in a recipe they go: a function
// from Recipe& to a reference.

template <class Target>
Setting whole(std::string name, std::int64_t least, Target target, std::int64_t most = kMostWhole) {
  return {{std::move(name), Kind::number, {}}, false, [=](Recipe& recipe, const Item& item) {
            auto& slot = target(recipe);
            using Slot = std::remove_reference_t<decltype(slot)>;
            if constexpr (std::is_integral_v<Slot>) {
              slot = static_cast<Slot>(item.whole(least, most));
            } else {
              slot = item.whole(least, most);
            }
          }};
}

template <class Target>
Setting number(std::string name, double least, double most, Target target) {
  return {{std::move(name), Kind::number, {}}, false, [=](Recipe& recipe, const Item& item) {
            target(recipe) = item.number(least, most);
          }};
}

template <class Target>
Setting numbers(std::string name, double least, Target target) {
  return {{std::move(name), Kind::text, {}}, true, [=](Recipe& recipe, const Item& item) {
            target(recipe) = item.numbers(least);
          }};
}

template <class Target>
Setting flag(std::string name, Target target) {
  return {{std::move(name), Kind::truth, {}}, false, [=](Recipe& recipe, const Item& item) {
            target(recipe) = item.flag();
          }};
}

template <class Target>
Setting text(std::string name, Target target) {
  return {{std::move(name), Kind::text, {}}, false, [=](Recipe& recipe, const Item& item) {
            target(recipe) = item.text();
          }};
}

template <class Target>
Setting choice(std::string name, std::string kind, std::vector<std::string> choices,
               Target target) {
  return {{std::move(name), Kind::text, choices}, false, [=](Recipe& recipe, const Item& item) {
            target(recipe) = item.one_of(kind, choices);
          }};
}

/// A choice among the vocabulary's names of a family.
template <class Target>
Setting known(std::string name, const std::string& family, Target target) {
  return choice(std::move(name), family, contract::vocabulary(family), target);
}

std::vector<Setting> data_settings() {
  return {
      known(
          "dataset.kind", "dataset", [](Recipe & r) -> auto& { return r.run.dataset.kind; }),
      text(
          "dataset.path", [](Recipe & r) -> auto& { return r.run.dataset.path; }),
      whole(
          "dataset.train_samples", 0,
          [](Recipe & r) -> auto& { return r.run.dataset.train_samples; }),
      whole(
          "dataset.test_samples", 0,
          [](Recipe & r) -> auto& { return r.run.dataset.test_samples; }),
      choice(
          "last_batch", "value", {"pad", "drop"},
          [](Recipe & r) -> auto& { return r.run.last_batch; }),
  };
}

std::vector<Setting> recipe_settings() {
  return {
      whole(
          "epochs", 1, [](Recipe & r) -> auto& { return r.run.epochs; }),
      number(
          "warmup_epochs", 0, kNoLimit, [](Recipe & r) -> auto& { return r.run.warmup_epochs; }),
      number(
          "lr.base_per_gpu", 0, kNoLimit, [](Recipe & r) -> auto& { return r.lr_base_per_gpu; }),
      number(
          "lr.base", 0, kNoLimit, [](Recipe & r) -> auto& { return r.lr_base; }),
      choice(
          "lr.scale", "value", {"linear", "sqrt", "none"},
          [](Recipe & r) -> auto& { return r.lr_scale; }),
      number(
          "label_smoothing", 0, 0.999, [](Recipe & r) -> auto& { return r.run.label_smoothing; }),
      known(
          "optimizer.kind", "optimizer", [](Recipe & r) -> auto& { return r.run.optimizer.kind; }),
      number(
          "optimizer.momentum", 0, kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.momentum; }),
      number(
          "optimizer.dampening", 0, 1,
          [](Recipe & r) -> auto& { return r.run.optimizer.dampening; }),
      flag(
          "optimizer.nesterov", [](Recipe & r) -> auto& { return r.run.optimizer.nesterov; }),
      number(
          "optimizer.weight_decay", 0, kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.weight_decay; }),
      choice(
          "precision", "value", {"fp32", "fp64"},
          [](Recipe & r) -> auto& { return r.run.precision; }),
      whole(
          "accumulation_steps", 1, [](Recipe & r) -> auto& { return r.run.accumulation_steps; }),
      whole(
          "window_steps", 1, [](Recipe & r) -> auto& { return r.run.window_steps; }),
      whole(
          "evaluate_every", 1, [](Recipe & r) -> auto& { return r.run.evaluate_every; }),
  };
}

/// Where the parameters of a schedule kind, or the options of a framework, lie in a recipe.
template <class Member>
auto of_schedule(const std::string& kind, Member LrScheduleSpec::*member) {
  return [=](Recipe& r) -> Member& { return r.schedules[kind].*member; };
}
template <class Member>
auto of_framework(const std::string& name, Member FrameworkOptions::*member) {
  return [=](Recipe& r) -> Member& { return r.framework_options[name].*member; };
}

std::vector<Setting> schedule_settings() {
  using S = LrScheduleSpec;
  std::vector<Setting> rows;
  const auto key = [](const std::string& kind, const char* name) {
    return "schedules." + kind + "." + name;
  };
  const auto one = [&](const std::string& kind, const char* name, double S::*member) {
    rows.push_back(number(key(kind, name), 0, kNoLimit, of_schedule(kind, member)));
  };
  for (const std::string kind : {"step", "multistep"}) {
    rows.push_back(numbers(key(kind, "milestones"), 0, of_schedule(kind, &S::milestones)));
    one(kind, "factor", &S::factor);
  }
  one("step", "every_epochs", &S::every_epochs);
  one("exponential", "gamma", &S::gamma);
  for (const std::string kind : {"cosine", "polynomial"}) {
    one(kind, "lr_min", &S::lr_min);
    one(kind, "t_max_epochs", &S::t_max_epochs);
  }
  one("polynomial", "power", &S::power);
  for (const std::string kind : {"step", "multistep", "cosine", "exponential", "polynomial"}) {
    rows.push_back(
        choice(key(kind, "update"), "value", {"step", "epoch"}, of_schedule(kind, &S::update)));
    rows.push_back(choice(key(kind, "origin"), "value", {"start", "after_warmup"},
                          of_schedule(kind, &S::origin)));
  }
  return rows;
}

std::vector<Setting> framework_settings() {
  using O = FrameworkOptions;
  const auto key = [](const std::string& name, const char* option) {
    return "frameworks." + name + "." + option;
  };
  std::vector<Setting> rows{
      number(key("ddp", "bucket_cap_mb"), 0, kNoLimit, of_framework("ddp", &O::bucket_cap_mb)),
      number(key("ddp", "first_bucket_mb"), 0, kNoLimit, of_framework("ddp", &O::first_bucket_mb)),
      flag(key("ddp", "gradient_as_bucket_view"), of_framework("ddp", &O::gradient_as_bucket_view)),
      flag(key("ddp", "find_unused_parameters"), of_framework("ddp", &O::find_unused_parameters)),
  };
  rows.push_back(
      {{key("deepspeed", "zero_stage"), Kind::number, {}}, false, [](Recipe& r, const Item& item) {
         r.framework_options["deepspeed"].zero_stage = static_cast<int>(item.whole(0, 3));
       }});
  for (const std::string name : {"layerwise", "pipeline", "hybrid"}) {
    rows.push_back(
        whole(key(name, "model_parallel_size"), 1, of_framework(name, &O::model_parallel_size)));
  }
  for (const std::string name : {"pipeline", "hybrid"}) {
    rows.push_back(whole(key(name, "micro_batches"), 1, of_framework(name, &O::micro_batches)));
  }
  return rows;
}

std::vector<Setting> proper_axes() {
  return {
      known(
          "framework", "framework", [](Recipe & r) -> auto& { return r.run.framework; }),
      known(
          "model", "model", [](Recipe & r) -> auto& { return r.run.model; }),
      known(
          "loader", "loader", [](Recipe & r) -> auto& { return r.run.loader; }),
      known(
          "lr_schedule", "lr_schedule", [](Recipe & r) -> auto& { return r.run.lr_schedule.kind; }),
      whole(
          "gpus", 1, [](Recipe & r) -> auto& { return r.run.gpus; }, kMostGpus),
      whole(
          "batch_per_gpu", 1, [](Recipe & r) -> auto& { return r.batch_per_gpu; }),
      whole(
          "global_batch", 1, [](Recipe & r) -> auto& { return r.global_batch; }),
  };
}

std::vector<Setting> joined(std::initializer_list<std::vector<Setting>> parts) {
  std::vector<Setting> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

const std::vector<Setting>& training_settings() {
  static const std::vector<Setting> settings =
      joined({data_settings(), recipe_settings(), schedule_settings(), framework_settings()});
  return settings;
}

const std::vector<Setting>& axis_settings() {
  static const std::vector<Setting> settings = joined({proper_axes(), training_settings()});
  return settings;
}

}  // namespace dlscale::planner
