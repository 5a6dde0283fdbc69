// SPDX-License-Identifier: Apache-2.0
#include "planner/study/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "contract/run_spec/framework_styles.hpp"
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

/// Makes a setting for a SHA-256 digest as sha256sum prints it. With an empty text, any digest is
/// accepted.
template <class Target>
Setting digest(std::string name, Target target) {
  return setting({std::move(name), Kind::text}, target, [](Recipe&, const config::Item& item) {
    constexpr std::size_t kDigits = 64;
    const std::string& value = item.text();
    const bool hex = value.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!value.empty() && (!hex || value.size() != kDigits)) {
      item.fail("must be 64 hexadecimal digits in lower case, as printed by sha256sum");
    }
    return value;
  });
}

constexpr int kLargestSide = 8192;  ///< same limit as in contract::validate

/// Makes a setting of two numbers above 0, the smaller number first. If the pair is `usual`, the
/// run spec stores no numbers.
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

/// Returns the settings of text data sets.
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
      choice_but(
          "fast", "cpu_kernels", {"fast", "framework"},
          [](Recipe & r) -> auto& { return r.run.cpu_kernels; }),
      choice_but(
          "fast", "gpu_kernels", {"fast", "framework"},
          [](Recipe & r) -> auto& { return r.run.gpu_kernels; }),
      flag(
          "cuda_graph", [](Recipe & r) -> auto& { return r.run.cuda_graph; }),
      flag(
          "profile", [](Recipe & r) -> auto& { return r.run.profile; }),
      whole(
          "profile_epochs", 0, [](Recipe & r) -> auto& { return r.run.profile_epochs; }),
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
          "steps", 1, [](Recipe & r) -> auto& { return r.run.steps; }),
      whole(
          "window_steps", 1, [](Recipe & r) -> auto& { return r.run.window_steps; }),
      whole(
          "evaluate_every", 1, [](Recipe & r) -> auto& { return r.run.evaluate_every; }),
  };
}

/// Makes the setting for the number of checkpoints to keep. For the default number 1, the run spec
/// stores 0.
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

/// Returns the kind of a value, or of the first value of a list. A range has values of kind number.
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

using Texts = std::map<std::string, std::string>;

/// Creates the setting for a member of RunSpec that is a map from names to texts. All values must
/// have the same kind as the first value. `what` names the setting in messages.
Setting free_setting(const config::Item& item, const std::string& table, const char* what,
                     Texts contract::RunSpec::*member) {
  const std::string name = item.key.substr(item.key.rfind('.') + 1);
  if (!config::is_identifier(name)) {
    item.fail(
        fmt::format("the name of {} may contain only letters, digits and _, and must not begin "
                    "with a digit",
                    what));
  }
  const Kind kind = kind_of_first(item.node);
  return {{table + name, kind},
          false,
          [=](Recipe& recipe, const config::Item& value) {
            (recipe.run.*member)[name] = parameter_text(kind, value);
          },
          [=](Recipe& recipe) { return parameter_value(kind, (recipe.run.*member)[name]); }};
}

/// Makes the setting of a free parameter.
Setting parameter(const config::Item& item) {
  return free_setting(item, "parameters.", "a parameter", &contract::RunSpec::parameters);
}

/// Makes the setting of an environment variable of the runs.
Setting variable(const config::Item& item) {
  Setting setting = free_setting(item, "environment.", "an environment variable",
                                 &contract::RunSpec::environment);
  if (setting.symbol.name == "environment.CUDA_VISIBLE_DEVICES") {
    item.fail("the job script sets this variable; set the key gpus instead");
  }
  return setting;
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
  static constexpr Alternative kAlternatives[] = {
      {"batch_per_gpu", "global_batch"}, {"max_batch_per_gpu", "accumulation_steps"},
      {"lr.base_per_gpu", "lr.base"},    {"lr.base_per_gpu", "lr.base_batch"},
      {"warmup_epochs", "warmup_steps"}, {"epochs", "steps"}};
  return kAlternatives;
}

namespace {

/// Throws base::SpecError for a group of keys, such as lr, that has a value instead of keys.
void check_groups(const config::Item& table, const std::vector<std::string>& names) {
  constexpr std::size_t kShownKeys = 2;
  for (const config::Entry& entry : table.table()) {
    if (std::holds_alternative<config::Table>(entry.node.value)) continue;
    if (std::ranges::find(names, entry.key) != names.end()) continue;
    std::vector<std::string> keys;
    std::ranges::copy_if(names, std::back_inserter(keys), [&](const std::string& name) {
      return name.starts_with(entry.key + ".") && !name.ends_with("*");
    });
    if (keys.empty()) continue;
    const bool has_more = keys.size() > kShownKeys;
    keys.resize(std::min(keys.size(), kShownKeys));
    config::Item{entry.node, table.key.empty() ? entry.key : table.key + "." + entry.key}.fail(
        fmt::format("expected a table, found {}; give a key of the table: {}{}. With a script of "
                    "your own, parameters.{} is also possible",
                    config::kind_of(entry.node), fmt::join(keys, ", "), has_more ? ", …" : "",
                    entry.key));
  }
}

}  // namespace

void match_settings(const config::Item& table, const std::vector<Setting>& settings,
                    const std::function<void(const Setting&, const config::Item&)>& found) {
  std::vector<std::string> names;
  for (const Setting& setting : settings) names.push_back(setting.symbol.name);
  names.push_back("parameters.*");
  names.push_back("environment.*");
  check_groups(table, names);
  config::match_keys(table, names, [&](std::size_t i, const config::Item& item) {
    if (i < settings.size()) {
      found(settings[i], item);
    } else {
      found(i == settings.size() ? parameter(item) : variable(item), item);
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

// The following functions make settings for the options of each framework style. Their keys in a
// study are `frameworks.NAME.OPTION`.

namespace {

using contract::FrameworkOptions;
using contract::FrameworkStyle;

/// Function that makes the setting `key` for one option of a framework style.
using MakeSetting = std::function<Setting(const FrameworkStyle& style, const std::string& key)>;

template <class Member>
auto of_framework(const FrameworkStyle& style, Member FrameworkOptions::*member) {
  return [=, name = std::string(style.name)](Recipe& r) -> Member& {
    return r.framework_options[name].*member;
  };
}

MakeSetting flag_option(bool FrameworkOptions::*member) {
  return [=](const FrameworkStyle& style, const std::string& key) {
    return flag(key, of_framework(style, member));
  };
}

MakeSetting number_option(double FrameworkOptions::*member) {
  return [=](const FrameworkStyle& style, const std::string& key) {
    return number(key, 0, config::kNoLimit, of_framework(style, member));
  };
}

template <class Whole>
MakeSetting whole_option(Whole FrameworkOptions::*member, std::int64_t least,
                         std::int64_t most = config::kMostWhole) {
  return [=](const FrameworkStyle& style, const std::string& key) {
    return whole(key, least, of_framework(style, member), most);
  };
}

MakeSetting choice_option(std::string FrameworkOptions::*member,
                          const std::vector<std::string>& choices) {
  return [=](const FrameworkStyle& style, const std::string& key) {
    return choice(key, "value", choices, of_framework(style, member));
  };
}

/// Makes the setting for gradient compression. The choice "powersgd" needs a rank, so only styles
/// that read powersgd_rank have this choice.
Setting compression_option(const FrameworkStyle& style, const std::string& key) {
  std::vector<std::string> choices{"none", "fp16", "bf16"};
  if (style.reads("powersgd_rank")) choices.emplace_back("powersgd");
  return choice(key, "value", std::move(choices),
                of_framework(style, &FrameworkOptions::compression));
}

/// Returns, by the name of an option, the function that makes its setting. An option has the same
/// allowed values in all styles that read it.
const std::map<std::string_view, MakeSetting>& option_makers() {
  using O = FrameworkOptions;
  static const std::map<std::string_view, MakeSetting> makers{
      {"bucket_cap_mb", number_option(&O::bucket_cap_mb)},
      {"first_bucket_mb", number_option(&O::first_bucket_mb)},
      {"gradient_as_bucket_view", flag_option(&O::gradient_as_bucket_view)},
      {"find_unused_parameters", flag_option(&O::find_unused_parameters)},
      {"static_graph", flag_option(&O::static_graph)},
      {"broadcast_buffers", flag_option(&O::broadcast_buffers)},
      {"compression", &compression_option},
      {"powersgd_rank", whole_option(&O::powersgd_rank, 1)},
      {"powersgd_start_step", whole_option(&O::powersgd_start_step, 0)},
      {"fusion_threshold_mb", number_option(&O::fusion_threshold_mb)},
      {"cycle_time_ms", number_option(&O::cycle_time_ms)},
      {"cache_capacity", whole_option(&O::cache_capacity, 0)},
      {"hierarchical_all_reduce", flag_option(&O::hierarchical_all_reduce)},
      {"autotune", flag_option(&O::autotune)},
      {"zero_stage", whole_option(&O::zero_stage, 0, 3)},
      {"reduce_bucket_elements", whole_option(&O::reduce_bucket_elements, 1)},
      {"allgather_bucket_elements", whole_option(&O::allgather_bucket_elements, 1)},
      {"overlap_comm", choice_option(&O::overlap_comm, {"auto", "on", "off"})},
      {"use_reduce_scatter", flag_option(&O::use_reduce_scatter)},
      {"prefetch_elements", whole_option(&O::prefetch_elements, 0)},
      {"persistence_threshold_elements", whole_option(&O::persistence_threshold_elements, 0)},
      {"offload_optimizer", flag_option(&O::offload_optimizer)},
      {"model_parallel_size", whole_option(&O::model_parallel_size, 1)},
      {"balance", choice_option(&O::balance, {"cost", "parameters", "blocks"})},
      {"micro_batches", whole_option(&O::micro_batches, 1)},
      {"pipeline_schedule", choice_option(&O::pipeline_schedule, {"1f1b", "gpipe"})}};
  return makers;
}

}  // namespace

std::vector<Setting> framework_settings() {
  std::vector<Setting> settings;
  for (const FrameworkStyle& style : contract::framework_styles()) {
    const std::string prefix = "frameworks." + std::string(style.name) + ".";
    for (const std::string_view option : style.options) {
      settings.push_back(option_makers().at(option)(style, prefix + std::string(option)));
    }
  }
  return settings;
}

// The following functions make the settings for learning: learning rate and its schedules,
// optimizer, targets.

namespace {

using contract::LrScheduleSpec;

std::vector<Setting> rate_settings() {
  return {
      number(
          "warmup_epochs", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.warmup_epochs; }),
      whole(
          "warmup_steps", 0, [](Recipe & r) -> auto& { return r.warmup_steps; }),
      number(
          "lr.base_per_gpu", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.lr_base_per_gpu; }),
      number(
          "lr.base", 0, config::kNoLimit, [](Recipe & r) -> auto& { return r.lr_base; }),
      whole(
          "lr.base_batch", 1, [](Recipe & r) -> auto& { return r.lr_base_batch; }),
      choice(
          "lr.scale", "value", {"linear", "sqrt", "none"},
          [](Recipe & r) -> auto& { return r.lr_scale; }),
      choice_but(
          "base", "lr.warmup_from", {"base", "zero"},
          [](Recipe & r) -> auto& { return r.run.lr.warmup_from; }),
      choice_but(
          "step", "lr.warmup_update", {"step", "epoch"},
          [](Recipe & r) -> auto& { return r.run.lr.warmup_update; }),
  };
}

std::vector<Setting> optimizer_settings() {
  return {
      known(
          "optimizer.kind", "optimizer", [](Recipe & r) -> auto& { return r.run.optimizer.kind; }),
      fraction(
          "optimizer.momentum", [](Recipe & r) -> auto& { return r.run.optimizer.momentum; }),
      number(
          "optimizer.dampening", 0, 1,
          [](Recipe & r) -> auto& { return r.run.optimizer.dampening; }),
      flag(
          "optimizer.nesterov", [](Recipe & r) -> auto& { return r.run.optimizer.nesterov; }),
      number(
          "optimizer.weight_decay", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.weight_decay; }),
      choice_but(
          "all", "optimizer.decayed", {"all", "weights"},
          [](Recipe & r) -> auto& { return r.run.optimizer.decayed; }),
      fraction(
          "optimizer.adam.beta1", [](Recipe & r) -> auto& { return r.run.optimizer.adam.beta1; }),
      fraction(
          "optimizer.adam.beta2", [](Recipe & r) -> auto& { return r.run.optimizer.adam.beta2; }),
      number(
          "optimizer.adam.epsilon", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.adam.epsilon; }),
      number(
          "optimizer.lars.trust_coefficient", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.lars.trust_coefficient; }),
      number(
          "optimizer.lars.epsilon", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.lars.epsilon; }),
  };
}

std::vector<Setting> goal_settings() {
  return {
      number(
          "label_smoothing", 0, 0.999, [](Recipe & r) -> auto& { return r.run.label_smoothing; }),
      number(
          "clip_norm", 0, config::kNoLimit, [](Recipe & r) -> auto& { return r.run.clip_norm; }),
      fraction(
          "ema_decay", [](Recipe & r) -> auto& { return r.run.ema_decay; }),
      number(
          "target.accuracy", 0, 1, [](Recipe & r) -> auto& { return r.run.target.accuracy; }),
      number(
          "target.loss", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.target.loss; }),
      number(
          "target.bleu", 0, 100, [](Recipe & r) -> auto& { return r.run.target.bleu; }),
      number(
          "target.train_loss", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.target.train_loss; }),
      flag(
          "target.stop", [](Recipe & r) -> auto& { return r.run.target.stop; }),
      whole(
          "plateau_epochs", 0, [](Recipe & r) -> auto& { return r.run.plateau_epochs; }),
  };
}

/// Returns the target of a schedule parameter: a function that finds the parameter of the schedule
/// `kind` in a recipe.
template <class Member>
auto of_schedule(const std::string& kind, Member LrScheduleSpec::*member) {
  return [=](Recipe& r) -> Member& { return r.schedules[kind].*member; };
}

/// Returns `kinds` and the schedule kinds of extensions. Extensions may read any parameter, so
/// every parameter gets a setting for each of their schedule kinds.
std::vector<std::string> and_of_extensions(std::vector<std::string> kinds) {
  for (const contract::ExtensionName& own : contract::extension_names()) {
    if (own.family == "lr_schedule") kinds.push_back(own.name);
  }
  return kinds;
}

std::vector<Setting> schedule_settings() {
  using S = LrScheduleSpec;
  std::vector<Setting> rows;
  const auto key = [](const std::string& kind, const char* name) {
    return "schedules." + kind + "." + name;
  };
  const auto one = [&](const std::string& kind, const char* name, double S::*member) {
    rows.push_back(number(key(kind, name), 0, config::kNoLimit, of_schedule(kind, member)));
  };
  for (const std::string& kind : and_of_extensions({"step", "multistep"})) {
    rows.push_back(numbers(key(kind, "milestones"), 0, of_schedule(kind, &S::milestones)));
    one(kind, "factor", &S::factor);
  }
  for (const std::string& kind : and_of_extensions({"step"})) {
    one(kind, "every_epochs", &S::every_epochs);
  }
  for (const std::string& kind : and_of_extensions({"exponential"})) one(kind, "gamma", &S::gamma);
  for (const std::string& kind : and_of_extensions({"cosine", "polynomial"})) {
    one(kind, "lr_min", &S::lr_min);
    one(kind, "t_max_epochs", &S::t_max_epochs);
  }
  for (const std::string& kind : and_of_extensions({"polynomial"})) one(kind, "power", &S::power);
  for (const std::string& kind :
       and_of_extensions({"step", "multistep", "cosine", "exponential", "polynomial"})) {
    rows.push_back(
        choice(key(kind, "update"), "value", {"step", "epoch"}, of_schedule(kind, &S::update)));
    rows.push_back(choice(key(kind, "origin"), "value", {"start", "after_warmup"},
                          of_schedule(kind, &S::origin)));
  }
  return rows;
}

}  // namespace

std::vector<Setting> learning_settings() {
  return joined({rate_settings(), goal_settings(), optimizer_settings(), schedule_settings()});
}

// The following functions make the settings of the model: its name, its initial weights and its
// options.

namespace {

using contract::ModelOptions;

template <class Member>
auto of_model(const std::string& name, Member ModelOptions::*member) {
  return [=](Recipe& r) -> Member& { return r.model_options[name].*member; };
}

/// Returns the models that may be a frozen backbone. Pretrained features exist for these models.
std::vector<std::string> backbones() {
  std::vector<std::string> names;
  for (const std::string& name : contract::vocabulary("model")) {
    for (const char* family : {"alexnet", "squeezenet", "vgg", "resnet", "densenet"}) {
      if (name.rfind(family, 0) == 0) names.push_back(name);
    }
  }
  return names;
}

std::vector<Setting> model_options() {
  using O = ModelOptions;
  const std::string frozen = "frozen_backbone", nbow = "nbow", seq2seq = "seq2seq";
  const auto key = [](const std::string& model, const char* option) {
    return "models." + model + "." + option;
  };
  return {
      choice(key(frozen, "backbone"), "backbone", backbones(), of_model(frozen, &O::backbone)),
      whole(key(frozen, "classifier_hidden"), 0, of_model(frozen, &O::classifier_hidden)),
      fraction(key(frozen, "dropout"), of_model(frozen, &O::dropout)),
      whole(key(nbow, "embedding"), 1, of_model(nbow, &O::embedding)),
      whole(key(seq2seq, "embedding"), 1, of_model(seq2seq, &O::embedding)),
      whole(key(seq2seq, "hidden"), 1, of_model(seq2seq, &O::hidden)),
      choice_but("gru", key(seq2seq, "cell"), {"gru", "lstm"}, of_model(seq2seq, &O::cell)),
      fraction(key(seq2seq, "dropout"), of_model(seq2seq, &O::dropout)),
  };
}

}  // namespace

std::vector<Setting> model_settings() {
  return joined(
      {{
           text(
               "weights", [](Recipe & r) -> auto& { return r.run.weights; }),
           flag(
               "zero_init_gamma", [](Recipe & r) -> auto& { return r.run.zero_init_gamma; }),
           text(
               "frozen", [](Recipe & r) -> auto& { return r.run.frozen; }),
       },
       model_options()});
}

Setting model_axis() {
  Setting axis = known(
      "model", "model", [](Recipe & r) -> auto& { return r.run.model; });
  axis.read = [named = axis.read](Recipe& recipe, const config::Item& item) {
    const bool ours = recipe.run.trainer.command.empty();
    if (!ours || !item.text().starts_with(contract::kScriptModel)) return named(recipe, item);
    if (item.text() == contract::kScriptModel)
      item.fail("the path of the file is missing; write \"script:PATH\"");
    recipe.run.model = item.text();
  };
  return axis;
}

}  // namespace dlscale::planner
