// SPDX-License-Identifier: Apache-2.0
#include "trainer/about/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "contract/version.hpp"
#include "trainer/about/capabilities.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/data/text/vocabulary.hpp"
#include "trainer/device/autocast.hpp"
#include "trainer/models/model_tracer.hpp"

namespace dlscale::trainer {
namespace {

constexpr const char* kPrecisions[] = {"fp32", "bf16", "fp64"};
constexpr std::size_t kImageExtents = 3;

using contract::ModelOptions;

int whole(const std::string& key, const std::string& text, int least = 1) {
  const std::optional<int> value = base::number_of<int>(text);
  if (value && *value >= least) return *value;
  throw base::UsageError(
      fmt::format("{} {}: expected a whole number of at least {}", key, text, least));
}

double fraction(const std::string& key, const std::string& text) {
  const std::optional<double> value = base::number_of<double>(text);
  if (value && *value >= 0 && *value < 1) return *value;
  throw base::UsageError(
      fmt::format("{} {}: expected a number of at least 0 and below 1", key, text));
}

/// Command-line option for a model setting. For example, the option --classifier-hidden sets
/// classifier_hidden.
struct SettingOption {
  std::string_view key;  ///< key in model_options
  void (*read)(ModelOptions& options, const std::string& option, const std::string& value);
  std::string (*text)(const ModelOptions& options);  ///< returns the value, or "" if not given
};

template <std::string ModelOptions::*Member>
constexpr SettingOption named(std::string_view key) {
  return {key,
          [](ModelOptions& o, const std::string&, const std::string& value) { o.*Member = value; },
          [](const ModelOptions& o) { return o.*Member; }};
}

template <int ModelOptions::*Member, int Least = 1>
constexpr SettingOption counted(std::string_view key) {
  return {key,
          [](ModelOptions& o, const std::string& option, const std::string& value) {
            o.*Member = whole(option, value, Least);
          },
          [](const ModelOptions& o) { return o.*Member > 0 ? std::to_string(o.*Member) : ""; }};
}

constexpr SettingOption kSettings[] = {
    named<&ModelOptions::backbone>("backbone"),
    counted<&ModelOptions::classifier_hidden, 0>("classifier_hidden"),
    {"dropout",
     [](ModelOptions& o, const std::string& option, const std::string& value) {
       o.dropout = fraction(option, value);
     },
     [](const ModelOptions& o) { return o.dropout > 0 ? fmt::format("{}", o.dropout) : ""; }},
    counted<&ModelOptions::embedding>("embedding"),
    counted<&ModelOptions::hidden>("hidden"),
    named<&ModelOptions::cell>("cell")};

std::string option_of(std::string_view key) {
  std::string option = "--" + std::string(key);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

const SettingOption* find_setting(const std::string& option) {
  const auto* const found =
      std::find_if(std::begin(kSettings), std::end(kSettings),
                   [&](const SettingOption& setting) { return option_of(setting.key) == option; });
  return found == std::end(kSettings) ? nullptr : found;
}

/// Returns the command-line options for the settings that a model uses.
std::vector<std::string> settings_of(const ModelEntry& entry) {
  std::istringstream keys(entry.settings);
  std::vector<std::string> options;
  for (std::string key; keys >> key;) options.push_back(option_of(key));
  return options;
}

/// Throws base::UsageError when the user gives a setting that the model does not use, because the
/// user then probably expects a different model.
void check_settings(const Description& what, const ModelEntry& entry) {
  const std::vector<std::string> own = settings_of(entry);
  for (const SettingOption& setting : kSettings) {
    const std::string option = option_of(setting.key);
    if (setting.text(what.options).empty()) continue;
    if (std::find(own.begin(), own.end(), option) != own.end()) continue;
    throw base::UsageError(
        fmt::format("{}: the model {} has no such setting; its settings: {}", option, what.model,
                    own.empty() ? "none" : fmt::format("{}", fmt::join(own, ", "))));
  }
  const std::string& cell = what.options.cell;
  if (!cell.empty() && cell != "gru" && cell != "lstm") {
    throw base::UsageError(base::unknown_name("cell", cell, {"gru", "lstm"}));
  }
}

bool is_text(const ModelEntry& entry) {
  return entry.input == std::string_view("text");
}

bool translates(const ModelEntry& entry) {
  return is_text(entry) && entry.task != std::string_view("classification");
}

void check(const Description& what, const ModelEntry& entry) {
  const std::size_t extents = is_text(entry) ? (translates(entry) ? 2 : 1) : kImageExtents;
  if (what.input.size() != extents) {
    throw base::UsageError(
        fmt::format("--input {}: {} takes {}", contract::shape_text(what.input), what.model,
                    is_text(entry) ? (translates(entry) ? "two texts of N tokens, such as 2x30"
                                                        : "texts of N tokens, such as 60")
                                   : "channels x height x width, such as 3x224x224"));
  }
  if (is_text(entry) && what.words <= kSpecialTokens) {
    throw base::UsageError(fmt::format("--words is missing; the model {} takes texts", what.model));
  }
}

ImageShape image_shape(const Description& what, const ModelEntry& entry) {
  if (is_text(entry)) return {};
  const auto at = [&](std::size_t i) { return static_cast<int>(what.input[i]); };
  return {at(0), at(1), at(2)};
}

MakeBatch batches(const Description& what, const ModelEntry& entry) {
  return [what, text = is_text(entry)](std::int64_t samples) {
    std::vector<std::int64_t> shape{samples};
    shape.insert(shape.end(), what.input.begin(), what.input.end());
    if (text) return at::full(shape, kSpecialTokens, at::kLong);
    return at::zeros(shape, what.precision == "fp64" ? at::kDouble : at::kFloat);
  };
}

std::string command_of(const Description& what) {
  std::string text = fmt::format("dlscale-train --describe {} --input {} --classes {}", what.model,
                                 contract::shape_text(what.input), what.classes);
  if (what.words > 0) text += fmt::format(" --words {}", what.words);
  for (const SettingOption& setting : kSettings) {
    const std::string value = setting.text(what.options);
    if (!value.empty()) text += fmt::format(" {} {}", option_of(setting.key), value);
  }
  if (what.precision != "fp32") text += fmt::format(" --precision {}", what.precision);
  return text;
}

void add_sizes(contract::ModelCard& card, Model& model) {
  const auto bytes = [](const at::Tensor& tensor) {
    return static_cast<double>(tensor.numel()) * static_cast<double>(tensor.element_size());
  };
  card.parameters = parameter_count(model);
  for (const at::Tensor& buffer : model.buffers()) card.buffer_bytes += bytes(buffer);
  for (const NamedTensor& weight : model.weights()) card.parameter_bytes += bytes(weight.tensor);
  card.parameter_bytes -= card.buffer_bytes;
}

}  // namespace

Description read_description(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw base::UsageError("--describe: a model name is missing");
  Description what{.model = arguments[0]};
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const std::string& key = arguments[i];
    if (i + 1 == arguments.size()) throw base::UsageError(key + ": a value is missing");
    const std::string& value = arguments[i + 1];
    if (key == "--input") {
      what.input = contract::shape_from_text(value);
    } else if (key == "--classes") {
      what.classes = whole(key, value);
    } else if (key == "--words") {
      what.words = whole(key, value);
    } else if (const SettingOption* const setting = find_setting(key)) {
      setting->read(what.options, key, value);
    } else if (key == "--precision") {
      what.precision = value;
    } else {
      std::vector<std::string> known{"--input", "--classes", "--words", "--precision"};
      for (const SettingOption& each : kSettings) known.push_back(option_of(each.key));
      throw base::UsageError(base::unknown_name("option", key, known));
    }
  }
  if (what.input.empty())
    throw base::UsageError("--input is missing, for example --input 3x224x224");
  if (what.classes == 0) throw base::UsageError("--classes is missing");
  if (std::find(std::begin(kPrecisions), std::end(kPrecisions), what.precision) ==
      std::end(kPrecisions)) {
    throw base::UsageError(base::unknown_name("precision", what.precision,
                                              {std::begin(kPrecisions), std::end(kPrecisions)}));
  }
  return what;
}

DescribedModel make_described_model(const Description& what) {
  const ModelEntry& entry = base::find(model_table(), "model", what.model);
  check(what, entry);
  check_settings(what, entry);
  const auto device = base::find(device_table(), "device", "cpu").make({});
  std::shared_ptr<Model> model =
      entry.make({.input = image_shape(what, entry),
                  .classes = what.classes,
                  .words = what.words,
                  .target_words = what.classes,
                  .precision = what.precision == "fp64" ? Precision::fp64 : Precision::fp32,
                  .device = *device,
                  .seed = 1,
                  .options = what.options});
  const auto autocast = std::make_shared<Autocast>(what.precision, c10::kCPU);
  return {model, batches(what, entry), [model, autocast](const at::Tensor& batch) {
            const auto cast = autocast->forward_pass();
            return model->forward(batch);
          }};
}

contract::ModelCard describe(const Description& what) {
  const DescribedModel made = make_described_model(what);
  contract::ModelCard card{.model = what.model,
                           .input = what.input,
                           .classes = what.classes,
                           .options = what.options,
                           .precision = what.precision,
                           .command = command_of(what)};
  const std::map<std::string, std::string> built = built_with();
  card.made_with = {{"dlscale", contract::version()}, {"torch", built.at("torch")}};
  add_sizes(card, *made.model);
  card.layers = walk_model(*made.model, made.make_batch, made.forward);
  return card;
}

}  // namespace dlscale::trainer
