// SPDX-License-Identifier: Apache-2.0
// From a text to its words, and the words that a model knows with their numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dlscale::trainer {

// The tokens of every vocabulary that are no words.

inline constexpr std::int32_t kPad = 0;      ///< fills a batch up to its longest sample
inline constexpr std::int32_t kUnknown = 1;  ///< a word that the vocabulary lacks
inline constexpr std::int32_t kBegin = 2;    ///< of a sentence to be translated into
inline constexpr std::int32_t kEnd = 3;      ///< of a sentence
inline constexpr std::int32_t kSpecialTokens = 4;

// The words that a model knows, and their numbers.

/// Numbers follow the special tokens: the most frequent word first,
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

// From a text to its words.

/// Lower case; words lie between white space. Each of ' . , ( ) ! ? is a word of its own; " ; : are
/// left out: what torchtext calls basic_english. Everything else belongs to words, - and / too.
/// Capitals are known from ASCII and Latin-1 (É, Ä, Ø). `text` is UTF-8.
std::vector<std::string> tokenize(std::string_view text);

/// Where `text` stops to be UTF-8: the number of good bytes; the whole size where all are.
std::size_t utf8_prefix(std::string_view text);

/// ISO 8859-1 to UTF-8.
std::string utf8_of_latin1(std::string_view text);

}  // namespace dlscale::trainer
