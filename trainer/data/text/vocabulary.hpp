// SPDX-License-Identifier: Apache-2.0
// Tokeniser and vocabulary for texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dlscale::trainer {

// Special tokens, which every vocabulary contains in addition to words.

inline constexpr std::int32_t kPad = 0;      ///< padding up to the longest sample of a batch
inline constexpr std::int32_t kUnknown = 1;  ///< word that is not in the vocabulary
inline constexpr std::int32_t kBegin = 2;    ///< start of a target sentence in translation
inline constexpr std::int32_t kEnd = 3;      ///< end of a sentence
inline constexpr std::int32_t kSpecialTokens = 4;

// Mapping from words to token numbers.

/// Words with their token numbers. The token numbers of words start after the token numbers of the
/// special tokens. Words are numbered by decreasing frequency. Words of equal frequency are sorted
/// by their bytes.
class Vocabulary {
 public:
  struct Limits {
    int most_words = 0;  ///< maximum number of words, 0 for no limit
    int min_count = 0;   ///< minimum number of occurrences of a word
  };
  /// Builds the vocabulary from `texts`, which are the texts of the training set.
  Vocabulary(const std::vector<std::vector<std::string>>& texts, const Limits& limits);

  /// Returns the number of tokens, including the special tokens.
  int size() const;
  /// Returns the token of `word`, or kUnknown when the vocabulary lacks the word.
  std::int32_t number_of(const std::string& word) const;
  std::vector<std::int32_t> numbers_of(const std::vector<std::string>& text) const;

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
};

// Functions that split a text into words and check or convert its encoding.

/// Splits `text`, which is UTF-8, into lower-case words, like torchtext's basic_english:
/// - White space separates words.
/// - Each of ' . , ( ) ! ? is a word.
/// - The characters " ; : are dropped.
/// - All other characters, including - and /, belong to words.
/// - Capital letters of ASCII and Latin-1 (É, Ä, Ø) become lower case.
std::vector<std::string> tokenize(std::string_view text);

/// Returns the length in bytes of the longest prefix of `text` that is valid UTF-8. The result is
/// the size of `text` if the whole text is valid.
std::size_t utf8_prefix(std::string_view text);

/// Converts ISO 8859-1 to UTF-8.
std::string utf8_of_latin1(std::string_view text);

}  // namespace dlscale::trainer
