// SPDX-License-Identifier: Apache-2.0
#include "contract/records/model_card.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "contract/json/codec.hpp"
#include "contract/records/layer_fields.hpp"
#include "contract/run_spec/run_spec_fields.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, ModelCard& c) {
  v.required("schema_version", c.schema_version);
  v.required("model", c.model);
  v.required("input", c.input);
  v.optional("classes", c.classes);
  v.sparse("options", c.options);
  v.optional("precision", c.precision);
  v.optional("command", c.command);
  v.optional("made_with", c.made_with);
  v.required("parameters", c.parameters);
  v.required("parameter_bytes", c.parameter_bytes);
  v.optional("buffer_bytes", c.buffer_bytes);
  v.required("layers", c.layers);
}

namespace {

void check(const BatchCost& cost, const char* what, std::size_t layer, std::string_view file) {
  if (cost.per_sample >= 0 && cost.fixed + cost.per_sample >= 0) return;
  throw base::SpecError({std::string(file)}, fmt::format("layers[{}].{}", layer, what),
                        "must not be negative");
}

void check(const ModelCard& card, std::string_view file) {
  const auto fail = [&](const char* key, const std::string& message) {
    throw base::SpecError({std::string(file)}, key, message);
  };
  if (card.schema_version > kModelCardVersion) {
    fail("schema_version",
         fmt::format("is {}, but this build supports at most {}; use a newer dlscale",
                     card.schema_version, kModelCardVersion));
  }
  if (card.layers.empty()) fail("layers", "must contain at least one layer");
  if (card.input.empty()) fail("input", "must not be empty");
  if (card.parameters < 0 || card.parameter_bytes < 0) fail("parameters", "must not be negative");
  for (std::size_t i = 0; i < card.layers.size(); ++i) {
    const LayerCard& layer = card.layers[i];
    check(layer.forward.flops, "forward.flops", i, file);
    check(layer.forward.read, "forward.read", i, file);
    check(layer.forward.written, "forward.written", i, file);
    check(layer.backward.flops, "backward.flops", i, file);
    check(layer.backward.read, "backward.read", i, file);
    check(layer.backward.written, "backward.written", i, file);
    check(layer.saved, "saved", i, file);
  }
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::vector<std::int64_t> shape_from_text(std::string_view text) {
  std::vector<std::int64_t> shape;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (;; ++at) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || (next != end && *next != 'x')) {
      throw base::UsageError(
          fmt::format("\"{}\" is not a shape; write sizes of at least 1 with x between them, for "
                      "example 3x224x224",
                      std::string(text)));
    }
    shape.push_back(extent);
    if (next == end) return shape;
    at = next;
  }
}

std::vector<std::pair<std::string, std::string>> given_options(const ModelOptions& options) {
  std::vector<std::pair<std::string, std::string>> given;
  const auto add = [&](const char* name, const auto& value) {
    if (value != std::decay_t<decltype(value)>{})
      given.emplace_back(name, fmt::format("{}", value));
  };
  add("backbone", options.backbone);
  add("cell", options.cell);
  add("classifier_hidden", options.classifier_hidden);
  add("dropout", options.dropout);
  add("embedding", options.embedding);
  add("hidden", options.hidden);
  return given;
}

std::string model_text(const std::string& model, const ModelOptions& options) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : given_options(options)) settings.push_back(name + " " + value);
  return settings.empty() ? model : fmt::format("{} ({})", model, fmt::join(settings, ", "));
}

std::string card_file_name(std::string_view model, const std::vector<std::int64_t>& input,
                           int classes, std::string_view precision, const ModelOptions& options) {
  std::string name = fmt::format("{}-{}-{}", model, shape_text(input), classes);
  if (precision != "fp32") name += fmt::format("-{}", precision);
  for (const auto& [option, value] : given_options(options)) {
    name += fmt::format("-{}-{}", option, value);
  }
  return name + ".json";
}

std::string to_json(const ModelCard& card) {
  constexpr codec::Layout kLinePerLayer{1, 2};
  return codec::to_text(card, kLinePerLayer) + "\n";
}

ModelCard model_card_from_json(std::string_view text, std::string_view file) {
  ModelCard card = codec::read_object<ModelCard>(text, file);
  check(card, file);
  return card;
}

}  // namespace dlscale::contract
