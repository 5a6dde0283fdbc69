// SPDX-License-Identifier: Apache-2.0
// The tokens of every vocabulary that are no words.
#pragma once

#include <cstdint>

namespace dlscale::trainer {

inline constexpr std::int32_t kPad = 0;      ///< fills a batch up to its longest sample
inline constexpr std::int32_t kUnknown = 1;  ///< a word that the vocabulary lacks
inline constexpr std::int32_t kBegin = 2;    ///< of a sentence to be translated into
inline constexpr std::int32_t kEnd = 3;      ///< of a sentence
inline constexpr std::int32_t kSpecialTokens = 4;

}  // namespace dlscale::trainer
