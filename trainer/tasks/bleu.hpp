// SPDX-License-Identifier: Apache-2.0
// BLEU of a corpus over tokens, with one reference for each sentence (Papineni, Roukos, Ward, Zhu:
// BLEU: a Method for Automatic Evaluation of Machine Translation, ACL 2002).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace dlscale::trainer {

inline constexpr std::size_t kBleuOrder = 4;  ///< number of words in the longest n-grams

/// Counts from which BLEU is computed. The counts can be summed over sentences and ranks.
struct BleuCounts {
  std::array<double, kBleuOrder> matches{};  ///< clipped number of n-grams found in the reference
  std::array<double, kBleuOrder> ngrams{};   ///< number of n-grams in the translation
  double length = 0;                         ///< number of tokens in the translation
  double reference_length = 0;
};

/// Adds the counts of one sentence. An n-gram that contains the token `unknown` never matches,
/// because all words outside the vocabulary share this token although they differ.
void add_sentence(BleuCounts& counts, std::span<const std::int64_t> translation,
                  std::span<const std::int64_t> reference, std::int64_t unknown);

/// Returns BLEU between 0 and 100: 100 x brevity penalty x geometric mean of the four precisions.
/// The precisions are not smoothed, so BLEU is 0 when no n-gram of some length matches.
double bleu(const BleuCounts& counts);

}  // namespace dlscale::trainer
