// SPDX-License-Identifier: Apache-2.0
// The words that a model knows, and their numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dlscale::trainer {

/// Numbers follow the special tokens (data/text/special_token.hpp): the most frequent word first,
/// of equally frequent ones the first by its bytes.
class Vocabulary {
 public:
  struct Limits {
    int most_words = 0;  ///< 0: all
    int min_count = 0;   ///< how often a word must occur
  };
  /// Of these texts, which are those of the training set.
  Vocabulary(const std::vector<std::vector<std::string>>& texts, const Limits& limits);

  /// With the special tokens.
  int size() const;
  /// kUnknown for a word that is none of it.
  std::int32_t number_of(const std::string& word) const;
  std::vector<std::int32_t> numbers_of(const std::vector<std::string>& text) const;

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
};

}  // namespace dlscale::trainer
