// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/text/vocabulary.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dlscale::trainer {

Vocabulary::Vocabulary(const std::vector<std::vector<std::string>>& texts, const Limits& limits) {
  std::map<std::string_view, std::int64_t> counts;
  for (const auto& text : texts) {
    for (const std::string& word : text) ++counts[word];
  }
  std::vector<std::pair<std::int64_t, std::string_view>> by_count;
  for (const auto& [word, count] : counts) {
    if (count >= limits.min_count) by_count.emplace_back(-count, word);
  }
  std::ranges::sort(by_count);
  if (limits.most_words > 0 && by_count.size() > static_cast<std::size_t>(limits.most_words)) {
    by_count.resize(static_cast<std::size_t>(limits.most_words));
  }
  for (const auto& [count, word] : by_count) numbers_.emplace(word, size());
}

int Vocabulary::size() const {
  return static_cast<int>(numbers_.size()) + kSpecialTokens;
}

std::int32_t Vocabulary::number_of(const std::string& word) const {
  const auto found = numbers_.find(word);
  return found == numbers_.end() ? kUnknown : found->second;
}

std::vector<std::int32_t> Vocabulary::numbers_of(const std::vector<std::string>& text) const {
  std::vector<std::int32_t> numbers;
  numbers.reserve(text.size());
  for (const std::string& word : text) numbers.push_back(number_of(word));
  return numbers;
}

namespace {

constexpr std::string_view kOwnWords = "'.,()!?";
constexpr std::string_view kBetweenWords = " \t\n\v\f\r\";:";
/// First byte of the UTF-8 encoding of the letters À to ÿ. The second byte is between 0x80 and
/// 0xbf.
constexpr char kLatinLead = '\xc3';
constexpr char kFirstCapital = '\x80';  ///< second byte of À; lower-case letters are 0x20 higher
constexpr char kLastCapital = '\x9e';   ///< second byte of Þ, the last capital letter
constexpr char kTimes = '\x97';         ///< second byte of ×, a sign among the capital letters

char lower(char c, char before) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c + 0x20);
  const bool is_capital =
      before == kLatinLead && c >= kFirstCapital && c <= kLastCapital && c != kTimes;
  return is_capital ? static_cast<char>(c + 0x20) : c;
}

/// Returns the number of bytes of the UTF-8 character that starts with `lead`, or 0 when `lead` is
/// not a valid first byte.
std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/// Returns true if the first two bytes of a character show an encoding that UTF-8 forbids: an
/// overlong form, a surrogate or a code point beyond Unicode.
bool is_forbidden(unsigned char lead, unsigned char second) {
  return (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
         (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
}

}  // namespace

std::vector<std::string> tokenize(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  char before = 0;
  for (const char c : text) {
    if (kBetweenWords.find(c) != std::string_view::npos) {
      end_word();
    } else if (kOwnWords.find(c) != std::string_view::npos) {
      end_word();
      words.emplace_back(1, c);
    } else {
      word += lower(c, before);
    }
    before = c;
  }
  end_word();
  return words;
}

std::size_t utf8_prefix(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = length_of(byte(at));
    if (length == 0 || at + length > text.size()) return at;
    for (std::size_t i = 1; i < length; ++i) {
      if ((byte(at + i) & 0xc0) != 0x80) return at;
    }
    if (length > 1 && is_forbidden(byte(at), byte(at + 1))) return at;
    at += length;
  }
  return at;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xc0 | byte >> 6);
      utf8 += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return utf8;
}

}  // namespace dlscale::trainer
