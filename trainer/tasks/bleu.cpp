// SPDX-License-Identifier: Apache-2.0
#include "trainer/tasks/bleu.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace dlscale::trainer {
namespace {

using Sentence = std::span<const std::int64_t>;

/// Returns the number of occurrences of each n-gram of `order` tokens in a sentence.
std::map<std::vector<std::int64_t>, int> ngrams_of(Sentence sentence, std::size_t order) {
  std::map<std::vector<std::int64_t>, int> counts;
  for (std::size_t i = 0; i + order <= sentence.size(); ++i) {
    const Sentence ngram = sentence.subspan(i, order);
    ++counts[std::vector<std::int64_t>(ngram.begin(), ngram.end())];
  }
  return counts;
}

}  // namespace

void add_sentence(BleuCounts& counts, Sentence translation, Sentence reference,
                  std::int64_t unknown) {
  counts.length += static_cast<double>(translation.size());
  counts.reference_length += static_cast<double>(reference.size());
  for (std::size_t order = 1; order <= kBleuOrder; ++order) {
    const auto wanted = ngrams_of(reference, order);
    for (const auto& [ngram, count] : ngrams_of(translation, order)) {
      counts.ngrams[order - 1] += count;
      const auto found = wanted.find(ngram);
      if (found == wanted.end() || std::ranges::count(ngram, unknown) > 0) continue;
      counts.matches[order - 1] += std::min(count, found->second);
    }
  }
}

double bleu(const BleuCounts& counts) {
  double log_precision = 0;
  for (std::size_t i = 0; i < kBleuOrder; ++i) {
    if (counts.matches[i] == 0) return 0;
    log_precision += std::log(counts.matches[i] / counts.ngrams[i]) / kBleuOrder;
  }
  const double penalty = std::min(0.0, 1 - counts.reference_length / counts.length);
  return 100 * std::exp(penalty + log_precision);
}

}  // namespace dlscale::trainer
