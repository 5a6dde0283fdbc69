// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/json_object.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <string>

#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the position of the quotation mark at the end of the string that begins at `at`. Returns
/// npos if the string does not end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i;
    if (text[i] == '\\') ++i;  // an escaped character does not end the string
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view json_whole(std::string_view text, std::size_t at) {
  constexpr std::size_t npos = std::string_view::npos;
  int depth = 0;
  for (std::size_t i = at; (i = text.find_first_of("{}[]\"", i)) != npos; ++i) {
    if (text[i] == '"') {
      i = end_of_string(text, i);
      if (i == npos) return {};
    } else {
      depth += text[i] == '{' || text[i] == '[' ? 1 : -1;
      if (depth == 0) return text.substr(at, i + 1 - at);
    }
  }
  return {};
}

std::size_t json_value_of(std::string_view text, std::string_view key, std::size_t from) {
  constexpr std::size_t npos = std::string_view::npos;
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::string quoted = fmt::format("\"{}\"", key);
  for (std::size_t at = text.find(quoted, from); at != npos; at = text.find(quoted, at + 1)) {
    const std::size_t colon = text.find_first_not_of(kBlanks, at + quoted.size());
    if (colon == npos) return npos;
    if (text[colon] == ':') return text.find_first_not_of(kBlanks, colon + 1);
  }
  return npos;
}

namespace {

constexpr std::string_view kNoNumbers[] = {"NaN",  "-Infinity", "Infinity", "nan",
                                           "-nan", "inf",       "-inf"};

/// Returns the text with the words of kNoNumbers in quotation marks, except for words within
/// strings. Returns an empty text if there are no such words.
std::string with_quoted_words(std::string_view text) {
  std::string quoted;
  bool in_text = false;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && in_text) {
      ++i;
    } else if (text[i] == '"') {
      in_text = !in_text;
    } else if (!in_text && std::string_view("NIni-").find(text[i]) != text.npos) {
      for (const std::string_view word : kNoNumbers) {
        if (!text.substr(i).starts_with(word)) continue;
        quoted += fmt::format("{}\"{}\"", text.substr(taken, i - taken), word);
        i += word.size() - 1;
        taken = i + 1;
        break;
      }
    }
  }
  return quoted.empty() ? quoted : quoted.append(text.substr(taken));
}

}  // namespace

struct JsonObject::Parsed {
  simdjson::dom::parser parser;
  simdjson::dom::object root;
  bool good = false;

  /// Parses the text. The parser keeps a copy, so `text` may be freed afterwards.
  bool parse(std::string_view text) {
    simdjson::dom::element value;
    good = !text.empty() &&
           parser.parse(text.data(), text.size()).get(value) == simdjson::SUCCESS &&
           value.get(root) == simdjson::SUCCESS;
    return good;
  }

  bool find(std::string_view path, simdjson::dom::element& value) const {
    if (!good) return false;
    // A key with slashes can be a plain name, such as "train/loss" of Weights & Biases. The object
    // is searched for such a name first.
    if (root.at_key(path).get(value) == simdjson::SUCCESS) return true;
    simdjson::dom::object object = root;
    for (;;) {
      const std::size_t end = path.find('/');
      if (object.at_key(path.substr(0, end)).get(value) != simdjson::SUCCESS) return false;
      if (end == std::string_view::npos) return true;
      if (value.get(object) != simdjson::SUCCESS) return false;
      path.remove_prefix(end + 1);
    }
  }
};

JsonObject::JsonObject() : parsed_(std::make_unique<Parsed>()) {}
JsonObject::~JsonObject() = default;

bool JsonObject::read(std::string_view text) {
  if (parsed_->parse(text)) return true;
  const std::string quoted = with_quoted_words(text);
  return !quoted.empty() && parsed_->parse(quoted);
}

bool JsonObject::has(std::string_view key) const {
  simdjson::dom::element value;
  return parsed_->find(key, value);
}

std::optional<double> JsonObject::number(std::string_view key) const {
  simdjson::dom::element value;
  double number = 0;
  if (!parsed_->find(key, value) || value.get(number) != simdjson::SUCCESS) return std::nullopt;
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

double JsonObject::loss(std::string_view key) const {
  if (const auto finite = number(key)) return *finite;
  double value = 0;
  const auto word = text(key);
  return word && whole_loss(*word, value) ? value : std::nan("");
}

std::optional<std::int64_t> JsonObject::integer(std::string_view key) const {
  const auto value = number(key);  // whole numbers may be written as 3.0 (Python, Lua)
  if (!value || *value != std::floor(*value) || std::abs(*value) > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<std::string_view> JsonObject::text(std::string_view key) const {
  simdjson::dom::element value;
  std::string_view text;
  if (!parsed_->find(key, value) || value.get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

std::optional<std::int64_t> JsonObject::item(std::string_view key, std::size_t position) const {
  simdjson::dom::element value;
  simdjson::dom::array list;
  std::int64_t number = 0;
  const bool found = parsed_->find(key, value) && value.get(list) == simdjson::SUCCESS &&
                     list.at(position).get(number) == simdjson::SUCCESS;
  return found ? std::optional(number) : std::nullopt;
}

void JsonObject::each_text(
    std::string_view path,
    const std::function<void(std::string_view key, std::string_view value)>& visit) const {
  simdjson::dom::element value;
  simdjson::dom::object object;
  if (!parsed_->find(path, value) || value.get(object) != simdjson::SUCCESS) return;
  for (const auto [key, element] : object) {
    std::string_view text;
    double number = 0;
    if (element.get(text) == simdjson::SUCCESS) {
      visit(key, text);
    } else if (element.get(number) == simdjson::SUCCESS) {
      visit(key, fmt::format("{}", number));
    } else if (element.is<bool>()) {
      visit(key, bool(element) ? "True" : "False");
    }
  }
}

void JsonObject::each_number(
    std::string_view path,
    const std::function<void(std::string_view key, double value)>& visit) const {
  simdjson::dom::element value;
  simdjson::dom::object object = parsed_->root;
  if (!parsed_->good) return;
  if (!path.empty() && (!parsed_->find(path, value) || value.get(object) != simdjson::SUCCESS)) {
    return;
  }
  for (const auto [key, element] : object) {
    double number = 0;
    if (element.get(number) == simdjson::SUCCESS && std::isfinite(number)) visit(key, number);
  }
}

}  // namespace dlscale::analysis
