// SPDX-License-Identifier: Apache-2.0
#include "contract/json/writer.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::contract::codec {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // bytes handed to a sink at a time
constexpr double kMostPlain = 1e15;  // below it whole numbers have all their digits before the dot

bool stands_as_it_is(char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

}  // namespace

/// Whole numbers, by far the most frequent, need no search for the shortest digits.
void TextWriter::write_value(double value) {
  if (std::abs(value) < kMostPlain && value == std::floor(value) && !std::signbit(value)) {
    write_value(static_cast<long long>(value));
    text_ += ".0";
  } else {
    text_ += std::isfinite(value) ? json(value).dump() : "null";
  }
}

/// Text with anything to escape, replace or check is left to the library.
void TextWriter::write_value(std::string_view value) {
  if (std::all_of(value.begin(), value.end(), [](char c) { return stands_as_it_is(c); })) {
    text_ += '"';
    text_ += value;
    text_ += '"';
  } else {
    text_ += dump(json(value));
  }
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

void TextWriter::next() {
  if (!empty_) text_ += ',';
  empty_ = false;
  if (sink_ && text_.size() > kPiece) finish();
  if (level_ <= layout_.levels) break_line(level_);
}

void TextWriter::end_key() {
  text_ += ':';
  if (level_ <= layout_.levels) text_ += ' ';
}

void TextWriter::break_line(int level) {
  text_ += '\n';
  text_.append(static_cast<std::size_t>(level * layout_.indent), ' ');
}

/// Asked for each key of each run's description.
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
