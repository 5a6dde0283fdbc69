// SPDX-License-Identifier: Apache-2.0
// BLEU of a corpus (Papineni, Roukos, Ward, Zhu: BLEU: a Method for Automatic Evaluation of Machine
// Translation, ACL 2002) over tokens, with one reference for each sentence.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace dlscale::trainer {

inline constexpr std::size_t kBleuOrder = 4;  ///< words of the longest n-grams

/// Counts that may be added up over sentences and ranks.
struct BleuCounts {
  std::array<double, kBleuOrder> matches{};  ///< n-grams that the reference has, clipped
  std::array<double, kBleuOrder> ngrams{};   ///< of the translation
  double length = 0;                         ///< tokens of the translation
  double reference_length = 0;
};

/// Adds a sentence. An n-gram with the token `unknown` matches none: words outside the vocabulary
/// differ, though they have one number.
void add_sentence(BleuCounts& counts, std::span<const std::int64_t> translation,
                  std::span<const std::int64_t> reference, std::int64_t unknown);

/// 0 to 100: 100 x brevity penalty x geometric mean of the four precisions, unsmoothed, so that it
/// is 0 where no n-gram of some length matches.
double bleu(const BleuCounts& counts);

}  // namespace dlscale::trainer
