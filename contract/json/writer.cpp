// SPDX-License-Identifier: Apache-2.0
#include "contract/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace dlscale::contract::codec {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // number of bytes passed to a sink at a time
// Limit below which a whole number is written as digits and ".0".
constexpr double kMostPlain = 1e15;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // replacement character U+FFFD

bool is_plain(char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

std::string escape_of(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return c == 0x7f ? std::string(1, c) : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

/// Writes a number. Most numbers are whole. They are written directly, which is faster than a
/// search for the shortest digits. nlohmann::json writes fractions, because run ids are hashes of
/// the digits and std::to_chars chooses other digits for one fraction in a hundred.
void TextWriter::write_value(double value) {
  if (std::abs(value) < kMostPlain && value == std::floor(value) && !std::signbit(value)) {
    write_value(static_cast<long long>(value));
    text_ += ".0";
  } else {
    text_ += std::isfinite(value) ? nlohmann::json(value).dump() : "null";
  }
}

void TextWriter::write_value(std::string_view value) {
  text_ += '"';
  while (!value.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(value.begin(), value.end(), is_plain) - value.begin());
    text_ += value.substr(0, plain);
    value.remove_prefix(plain);
    if (value.empty()) break;
    const std::size_t bytes = base::utf8_bytes(value);
    if (bytes == 0) {
      text_ += kReplacement;
    } else if (bytes > 1) {
      text_ += value.substr(0, bytes);
    } else {
      text_ += escape_of(value.front());
    }
    value.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  text_ += '"';
}

void TextWriter::finish() {
  sink_(text_);
  text_.clear();
}

void TextWriter::open(char bracket) {
  text_ += bracket;
  ++level_;
  empty_ = true;
}

void TextWriter::close(char bracket) {
  if (!empty_ && level_ <= layout_.levels) break_line(level_ - 1);
  --level_;
  empty_ = false;
  text_ += bracket;
}

void TextWriter::element() {
  if (!empty_) text_ += ',';
  empty_ = false;
  if (sink_ && text_.size() > kPiece) finish();
  if (level_ <= layout_.levels) break_line(level_);
}

void TextWriter::key(std::string_view name) {
  if (level_ == 1) top_key_ = name;
  element();
  write_value(name);
  text_ += ':';
  if (level_ <= layout_.levels) text_ += ' ';
}

void TextWriter::break_line(int level) {
  text_ += '\n';
  text_.append(static_cast<std::size_t>(level * layout_.indent), ' ');
}

/// Returns whether `key` is omitted at the current position. The function is called for each key of
/// each run's description. For speed, it compares the parts of the dotted key and does not build
/// the dotted key.
bool TextWriter::is_omitted(std::string_view key) const {
  const std::size_t above = level_ == 1 ? 0 : top_key_.size() + 1;
  for (const std::string_view omitted : omitted_) {
    if (omitted.size() != above + key.size() || !omitted.ends_with(key)) continue;
    if (level_ == 1) return true;
    if (level_ == 2 && omitted.starts_with(top_key_) && omitted[above - 1] == '.') return true;
  }
  return false;
}

}  // namespace dlscale::contract::codec
