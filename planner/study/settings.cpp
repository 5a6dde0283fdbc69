// SPDX-License-Identifier: Apache-2.0
#include "planner/study/settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <type_traits>
#include <utility>

#include "contract/vocabulary.hpp"
#include "planner/study/setting_rows.hpp"

namespace dlscale::planner {
namespace {

using contract::LrScheduleSpec;

std::vector<Setting> batch_settings() {
  return {
      whole(
          "batch_per_gpu", 1, [](Recipe & r) -> auto& { return r.batch.per_gpu; }),
      whole(
          "global_batch", 1, [](Recipe & r) -> auto& { return r.batch.global; }),
      whole(
          "max_batch_per_gpu", 1, [](Recipe & r) -> auto& { return r.batch.most_per_gpu; }),
      whole(
          "accumulation_steps", 1, [](Recipe & r) -> auto& { return r.batch.accumulation_steps; }),
  };
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
      text(
          "dataset.shape", [](Recipe & r) -> auto& { return r.run.dataset.shape; }),
      whole(
          "dataset.classes", 0, [](Recipe & r) -> auto& { return r.run.dataset.classes; }),
      choice(
          "last_batch", "value", {"pad", "drop"},
          [](Recipe & r) -> auto& { return r.run.last_batch; }),
  };
}

/// A choice of which a run spec does not say the usual one.
Setting choice_but(const std::string& usual, const char* name, std::vector<std::string> choices,
                   std::string contract::RunSpec::*member) {
  return {{name, Kind::text, choices},
          false,
          [=](Recipe& recipe, const Item& item) {
            const std::string chosen = item.one_of(name, choices);
            recipe.run.*member = chosen == usual ? "" : chosen;
          },
          [=](Recipe& recipe) {
            const std::string& said = recipe.run.*member;
            return Value(said.empty() ? usual : said);
          }};
}

std::vector<Setting> numeric_settings() {
  using contract::RunSpec;
  return {
      choice(
          "precision", "value", {"fp32", "fp64", "tf32", "bf16", "fp16"},
          [](Recipe & r) -> auto& { return r.run.precision; }),
      choice_but("local", "batch_norm", {"local", "synchronised"}, &RunSpec::batch_norm),
      choice_but("contiguous", "memory_format", {"contiguous", "channels_last"},
                 &RunSpec::memory_format),
      text(
          "frozen", [](Recipe & r) -> auto& { return r.run.frozen; }),
      flag(
          "profile", [](Recipe & r) -> auto& { return r.run.profile; }),
  };
}

std::vector<Setting> recipe_settings() {
  return {
      choice_but("train", "mode", {"train", "inference"}, &contract::RunSpec::mode),
      choice_but("auto", "all_reduce", contract::vocabulary("all_reduce"),
                 &contract::RunSpec::all_reduce),
      whole(
          "epochs", 1, [](Recipe & r) -> auto& { return r.run.epochs; }),
      number(
          "warmup_epochs", 0, kNoLimit, [](Recipe & r) -> auto& { return r.run.warmup_epochs; }),
      whole(
          "warmup_steps", 0, [](Recipe & r) -> auto& { return r.warmup_steps; }),
      number(
          "lr.base_per_gpu", 0, kNoLimit, [](Recipe & r) -> auto& { return r.lr_base_per_gpu; }),
      number(
          "lr.base", 0, kNoLimit, [](Recipe & r) -> auto& { return r.lr_base; }),
      whole(
          "lr.base_batch", 1, [](Recipe & r) -> auto& { return r.lr_base_batch; }),
      choice(
          "lr.scale", "value", {"linear", "sqrt", "none"},
          [](Recipe & r) -> auto& { return r.lr_scale; }),
      number(
          "label_smoothing", 0, 0.999, [](Recipe & r) -> auto& { return r.run.label_smoothing; }),
      number(
          "clip_norm", 0, kNoLimit, [](Recipe & r) -> auto& { return r.run.clip_norm; }),
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
      whole(
          "window_steps", 1, [](Recipe & r) -> auto& { return r.run.window_steps; }),
      whole(
          "evaluate_every", 1, [](Recipe & r) -> auto& { return r.run.evaluate_every; }),
  };
}

std::vector<Setting> checkpoint_settings() {
  return {
      whole(
          "checkpoint.every_epochs", 0,
          [](Recipe & r) -> auto& { return r.run.checkpoint.every_epochs; }),
      number(
          "checkpoint.every_minutes", 0, kNoLimit,
          [](Recipe & r) -> auto& { return r.run.checkpoint.every_minutes; }),
  };
}

/// Where the parameters of a schedule kind lie in a recipe.
template <class Member>
auto of_schedule(const std::string& kind, Member LrScheduleSpec::*member) {
  return [=](Recipe& r) -> Member& { return r.schedules[kind].*member; };
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

/// What a frozen backbone can be: a model whose features others have trained.
std::vector<std::string> backbones() {
  std::vector<std::string> names;
  for (const std::string& name : contract::vocabulary("model")) {
    for (const char* family : {"alexnet", "squeezenet", "vgg", "resnet", "densenet"}) {
      if (name.rfind(family, 0) == 0) names.push_back(name);
    }
  }
  return names;
}

std::vector<Setting> model_settings() {
  return {
      choice(
          "models.frozen_backbone.backbone", "backbone", backbones(),
          [](Recipe & r) -> auto& { return r.frozen_backbone.backbone; }),
      whole(
          "models.frozen_backbone.classifier_hidden", 1,
          [](Recipe & r) -> auto& { return r.frozen_backbone.classifier_hidden; }),
      number(
          "models.frozen_backbone.dropout", 0, 0.999,
          [](Recipe & r) -> auto& { return r.frozen_backbone.dropout; }),
  };
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
  };
}

/// Of a value, or of the first of an axis; a range is of numbers.
Kind kind_of_first(const Node& node) {
  if (const auto* list = std::get_if<List>(&node.value)) {
    return list->empty() ? Kind::number : kind_of_first(list->front());
  }
  if (std::holds_alternative<Table>(node.value)) return Kind::number;
  return static_cast<Kind>(seen_value(node).index());
}

std::string parameter_text(Kind kind, const Item& item) {
  if (static_cast<Kind>(seen_value(item.node).index()) != kind ||
      std::holds_alternative<List>(item.node.value) ||
      std::holds_alternative<Table>(item.node.value)) {
    static constexpr const char* kKinds[] = {"a number", "a string", "true or false"};
    item.fail(fmt::format("expected {} like the first value, found {}",
                          kKinds[static_cast<int>(kind)], kind_of(item.node)));
  }
  if (kind == Kind::number) item.number(-std::numeric_limits<double>::max());
  if (kind == Kind::text) item.text();
  return to_text(item.node);
}

Value parameter_value(Kind kind, const std::string& text) {
  if (kind == Kind::number) return std::strtod(text.c_str(), nullptr);
  if (kind == Kind::truth) return text == "true";
  return text;
}

/// A free parameter: all its values are of one kind.
Setting parameter(const Item& item) {
  const std::string name = item.key.substr(item.key.rfind('.') + 1);
  if (!is_identifier(name)) {
    item.fail("the name of a parameter is letters, digits and _, no digit first");
  }
  const Kind kind = kind_of_first(item.node);
  return {{"parameters." + name, kind},
          false,
          [=](Recipe& recipe, const Item& value) {
            recipe.run.parameters[name] = parameter_text(kind, value);
          },
          [=](Recipe& recipe) { return parameter_value(kind, recipe.run.parameters[name]); }};
}

}  // namespace

const std::vector<Setting>& training_settings() {
  static const std::vector<Setting> settings =
      joined({batch_settings(), data_settings(), recipe_settings(), numeric_settings(),
              checkpoint_settings(), schedule_settings(), framework_settings(), model_settings()});
  return settings;
}

const std::vector<Setting>& axis_settings() {
  static const std::vector<Setting> settings = joined({proper_axes(), training_settings()});
  return settings;
}

std::span<const Alternative> alternatives() {
  static constexpr Alternative kAlternatives[] = {{"batch_per_gpu", "global_batch"},
                                                  {"max_batch_per_gpu", "accumulation_steps"},
                                                  {"lr.base_per_gpu", "lr.base"},
                                                  {"lr.base_per_gpu", "lr.base_batch"},
                                                  {"warmup_epochs", "warmup_steps"}};
  return kAlternatives;
}

void match_settings(const Item& table, const std::vector<Setting>& settings,
                    const std::function<void(const Setting&, const Item&)>& found) {
  std::vector<std::string> names;
  for (const Setting& setting : settings) names.push_back(setting.symbol.name);
  names.push_back("parameters.*");
  match_keys(table, names, [&](std::size_t i, const Item& item) {
    if (i < settings.size()) {
      found(settings[i], item);
    } else {
      found(parameter(item), item);
    }
  });
}

Value seen_value(const Node& node) {
  if (const auto* number = std::get_if<std::int64_t>(&node.value)) {
    return static_cast<double>(*number);
  }
  if (const auto* number = std::get_if<double>(&node.value)) return *number;
  if (const auto* truth = std::get_if<bool>(&node.value)) return *truth;
  return to_text(node);
}

}  // namespace dlscale::planner
