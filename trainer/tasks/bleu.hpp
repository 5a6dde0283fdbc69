// SPDX-License-Identifier: Apache-2.0
// BLEU score of a corpus, computed over tokens and with one reference for each sentence (Papineni,
// Roukos, Ward, Zhu: BLEU: a Method for Automatic Evaluation of Machine Translation, ACL 2002).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace dlscale::trainer {

inline constexpr std::size_t kBleuOrder = 4;  ///< number of tokens in the longest n-grams

/// Counts from which BLEU is computed. The counts can be summed over sentences and ranks.
struct BleuCounts {
  std::array<double, kBleuOrder> matches{};  ///< n-grams also in the reference, by n
  std::array<double, kBleuOrder> ngrams{};   ///< n-grams in the translation, by n
  double length = 0;                         ///< number of tokens in the translation
  double reference_length = 0;
};

/// Adds the counts of one sentence. Different words outside the vocabulary share the token
/// `unknown`. An n-gram that contains this token therefore never matches.
void add_sentence(BleuCounts& counts, std::span<const std::int64_t> translation,
                  std::span<const std::int64_t> reference, std::int64_t unknown);

/// Returns the BLEU score between 0 and 100: 100 x brevity penalty x geometric mean of the four
/// n-gram precisions. The precisions are not smoothed, so the score is 0 if one of the four
/// precisions is 0.
double bleu(const BleuCounts& counts);

}  // namespace dlscale::trainer
