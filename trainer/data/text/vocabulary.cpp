// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/text/vocabulary.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trainer/data/text/special_token.hpp"

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

}  // namespace dlscale::trainer
