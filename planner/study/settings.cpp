// SPDX-License-Identifier: Apache-2.0
#include "planner/study/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <utility>

#include "contract/run_spec/vocabulary.hpp"
#include "planner/study/setting_rows.hpp"

namespace dlscale::planner {
namespace {

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

/// A SHA-256 as sha256sum prints it; empty: any.
template <class Target>
Setting digest(std::string name, Target target) {
  return setting({std::move(name), Kind::text}, target, [](Recipe&, const config::Item& item) {
    constexpr std::size_t kDigits = 64;
    const std::string& value = item.text();
    const bool hex = value.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!value.empty() && (!hex || value.size() != kDigits)) {
      item.fail("must be 64 hexadecimal digits, as sha256sum prints them");
    }
    return value;
  });
}

constexpr int kLargestSide = 8192;  ///< as contract::validate has it

/// Two numbers above 0, the smaller one first; a run spec does not say the usual ones.
template <class Target>
Setting bounds(std::string name, std::vector<double> usual, double most, Target target) {
  return {{std::move(name), Kind::text},
          true,
          [=](Recipe& recipe, const config::Item& item) {
            std::vector<double> pair = item.numbers(0);
            if (pair.size() != 2 || pair[0] <= 0 || pair[0] > pair[1]) {
              item.fail("must be two numbers above 0, the smaller one first");
            }
            if (pair[1] > most) item.fail(fmt::format("must be at most {}", most));
            target(recipe) = pair == usual ? std::vector<double>() : std::move(pair);
          },
          [](Recipe&) { return config::Value(std::string()); }};
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
      whole(
          "dataset.first_classes", 0,
          [](Recipe & r) -> auto& { return r.run.dataset.first_classes; }),
      whole(
          "dataset.random_crop", 0, [](Recipe & r) -> auto& { return r.run.dataset.random_crop; }),
      flag(
          "dataset.random_flip", [](Recipe & r) -> auto& { return r.run.dataset.random_flip; }),
      whole(
          "dataset.image_size", 0, [](Recipe & r) -> auto& { return r.run.dataset.image_size; },
          kLargestSide),
      whole(
          "dataset.resize", 0, [](Recipe & r) -> auto& { return r.run.dataset.resize; },
          kLargestSide),
      bounds(
          "dataset.crop_scale", {0.08, 1.0}, 1,
          [](Recipe & r) -> auto& { return r.run.dataset.crop_scale; }),
      bounds(
          "dataset.crop_ratio", {3.0 / 4, 4.0 / 3}, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.dataset.crop_ratio; }),
      choice_but(
          "antialiased", "dataset.resample", {"antialiased", "bilinear"},
          [](Recipe & r) -> auto& { return r.run.dataset.resample; }),
      digest(
          "dataset.sha256", [](Recipe & r) -> auto& { return r.run.dataset.sha256; }),
      choice(
          "last_batch", "value", {"pad", "drop"},
          [](Recipe & r) -> auto& { return r.run.last_batch; }),
  };
}

std::vector<Setting> loader_settings() {
  return {
      whole(
          "loader_options.threads", 0,
          [](Recipe & r) -> auto& { return r.run.loader_options.threads; }),
      whole(
          "loader_options.prefetch", 0,
          [](Recipe & r) -> auto& { return r.run.loader_options.prefetch; }),
      choice_but(
          "fail", "loader_options.on_broken", {"fail", "skip"},
          [](Recipe & r) -> auto& { return r.run.loader_options.on_broken; }),
      whole(
          "loader_options.shuffle_window", 0,
          [](Recipe & r) -> auto& { return r.run.loader_options.shuffle_window; }),
      choice_but(
          "dlscale", "loader_options.sample_order", {"dlscale", "pytorch"},
          [](Recipe & r) -> auto& { return r.run.loader_options.sample_order; }),
      choice_but(
          "auto", "loader_options.hand_over", {"auto", "uint8", "fp32"},
          [](Recipe & r) -> auto& { return r.run.loader_options.hand_over; }),
  };
}

/// Of data sets of texts.
std::vector<Setting> text_settings() {
  return {
      whole(
          "dataset.folds", 0, [](Recipe & r) -> auto& { return r.run.dataset.folds; }),
      whole(
          "dataset.fold", 0, [](Recipe & r) -> auto& { return r.run.dataset.fold; }),
      whole(
          "dataset.vocabulary", 0, [](Recipe & r) -> auto& { return r.run.dataset.vocabulary; }),
      whole(
          "dataset.min_count", 0, [](Recipe & r) -> auto& { return r.run.dataset.min_count; }),
      whole(
          "dataset.max_length", 0, [](Recipe & r) -> auto& { return r.run.dataset.max_length; }),
  };
}

std::vector<Setting> numeric_settings() {
  return {
      choice(
          "precision", "value", {"fp32", "fp64", "tf32", "bf16", "fp16"},
          [](Recipe & r) -> auto& { return r.run.precision; }),
      choice_but(
          "local", "batch_norm", {"local", "synchronised"},
          [](Recipe & r) -> auto& { return r.run.batch_norm; }),
      choice_but(
          "auto", "memory_format", {"auto", "contiguous", "channels_last"},
          [](Recipe & r) -> auto& { return r.run.memory_format; }),
      flag(
          "cuda_graph", [](Recipe & r) -> auto& { return r.run.cuda_graph; }),
      flag(
          "profile", [](Recipe & r) -> auto& { return r.run.profile; }),
  };
}

std::vector<Setting> loop_settings() {
  return {
      choice_but(
          "train", "mode", {"train", "inference"}, [](Recipe & r) -> auto& { return r.run.mode; }),
      choice_but(
          "auto", "all_reduce", contract::vocabulary("all_reduce"),
          [](Recipe & r) -> auto& { return r.run.all_reduce; }),
      whole(
          "epochs", 1, [](Recipe & r) -> auto& { return r.run.epochs; }),
      whole(
          "window_steps", 1, [](Recipe & r) -> auto& { return r.run.window_steps; }),
      whole(
          "evaluate_every", 1, [](Recipe & r) -> auto& { return r.run.evaluate_every; }),
  };
}

/// How many checkpoints stay; a run spec does not say the usual one.
Setting kept_checkpoints() {
  return {{"checkpoint.keep", Kind::number},
          false,
          [](Recipe& recipe, const config::Item& item) {
            const auto keep = static_cast<int>(item.whole(1));
            recipe.run.checkpoint.keep = keep == 1 ? 0 : keep;
          },
          [](Recipe& recipe) { return shown(std::max(1, recipe.run.checkpoint.keep)); }};
}

std::vector<Setting> checkpoint_settings() {
  return {
      whole(
          "checkpoint.every_epochs", 0,
          [](Recipe & r) -> auto& { return r.run.checkpoint.every_epochs; }),
      number(
          "checkpoint.every_minutes", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.checkpoint.every_minutes; }),
      kept_checkpoints(),
      flag(
          "checkpoint.asynchronous",
          [](Recipe & r) -> auto& { return r.run.checkpoint.asynchronous; }),
      flag(
          "checkpoint.weights", [](Recipe & r) -> auto& { return r.run.checkpoint.weights; }),
  };
}

std::vector<Setting> proper_axes() {
  return {
      known(
          "framework", "framework", [](Recipe & r) -> auto& { return r.run.framework; }),
      model_axis(),
      known(
          "loader", "loader", [](Recipe & r) -> auto& { return r.run.loader; }),
      known(
          "lr_schedule", "lr_schedule", [](Recipe & r) -> auto& { return r.run.lr_schedule.kind; }),
      whole(
          "gpus", 1, [](Recipe & r) -> auto& { return r.run.gpus; }, config::kMostGpus),
  };
}

/// Of a value, or of the first of an axis; a range is of numbers.
Kind kind_of_first(const config::Node& node) {
  if (const auto* list = std::get_if<config::List>(&node.value)) {
    return list->empty() ? Kind::number : kind_of_first(list->front());
  }
  if (std::holds_alternative<config::Table>(node.value)) return Kind::number;
  return static_cast<Kind>(seen_value(node).index());
}

std::string parameter_text(Kind kind, const config::Item& item) {
  if (static_cast<Kind>(seen_value(item.node).index()) != kind ||
      std::holds_alternative<config::List>(item.node.value) ||
      std::holds_alternative<config::Table>(item.node.value)) {
    static constexpr const char* kKinds[] = {"a number", "a string", "true or false"};
    item.fail(fmt::format("expected {} like the first value, found {}",
                          kKinds[static_cast<int>(kind)], config::kind_of(item.node)));
  }
  if (kind == Kind::number) item.number(-std::numeric_limits<double>::max());
  if (kind == Kind::text) item.text();
  return config::to_text(item.node);
}

config::Value parameter_value(Kind kind, const std::string& text) {
  if (kind == Kind::number) return std::strtod(text.c_str(), nullptr);
  if (kind == Kind::truth) return text == "true";
  return text;
}

/// A free parameter: all its values are of one kind.
Setting parameter(const config::Item& item) {
  const std::string name = item.key.substr(item.key.rfind('.') + 1);
  if (!config::is_identifier(name)) {
    item.fail("the name of a parameter is letters, digits and _, no digit first");
  }
  const Kind kind = kind_of_first(item.node);
  return {{"parameters." + name, kind},
          false,
          [=](Recipe& recipe, const config::Item& value) {
            recipe.run.parameters[name] = parameter_text(kind, value);
          },
          [=](Recipe& recipe) { return parameter_value(kind, recipe.run.parameters[name]); }};
}

}  // namespace

const std::vector<Setting>& training_settings() {
  static const std::vector<Setting> settings =
      joined({batch_settings(), data_settings(), loader_settings(), text_settings(),
              loop_settings(), numeric_settings(), learning_settings(), checkpoint_settings(),
              framework_settings(), model_settings()});
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

void match_settings(const config::Item& table, const std::vector<Setting>& settings,
                    const std::function<void(const Setting&, const config::Item&)>& found) {
  std::vector<std::string> names;
  for (const Setting& setting : settings) names.push_back(setting.symbol.name);
  names.push_back("parameters.*");
  config::match_keys(table, names, [&](std::size_t i, const config::Item& item) {
    if (i < settings.size()) {
      found(settings[i], item);
    } else {
      found(parameter(item), item);
    }
  });
}

config::Value seen_value(const config::Node& node) {
  if (const auto* number = std::get_if<std::int64_t>(&node.value)) {
    return static_cast<double>(*number);
  }
  if (const auto* number = std::get_if<double>(&node.value)) return *number;
  if (const auto* truth = std::get_if<bool>(&node.value)) return *truth;
  return config::to_text(node);
}

}  // namespace dlscale::planner
