// SPDX-License-Identifier: Apache-2.0
// Translation task. The loss is the cross-entropy of the tokens. The metrics include perplexity and
// BLEU.
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "trainer/data/text/vocabulary.hpp"
#include "trainer/tasks/bleu.hpp"
#include "trainer/tasks/task.hpp"

namespace dlscale::trainer {
namespace {

/// Returns the loss of each token as a tensor of samples x length, with 0 for padding.
at::Tensor token_losses(const at::Tensor& scores, const at::Tensor& target, double smoothing) {
  return at::cross_entropy_loss(scores.flatten(0, 1), target.flatten(), {}, at::Reduction::None,
                                kPad, smoothing)
      .view_as(target);
}

/// Returns the loss of a batch: the mean token loss of each sentence, averaged over the sentences.
/// Each sentence therefore has the same weight, independent of its length and of the padding in the
/// batch.
at::Tensor translation_loss(const at::Tensor& output, const at::Tensor& target, double smoothing) {
  const bool is_small = output.scalar_type() == at::kHalf || output.scalar_type() == at::kBFloat16;
  const at::Tensor losses =
      token_losses(is_small ? output.to(at::kFloat) : output, target, smoothing);
  return (losses.sum(1) / target.ne(kPad).sum(1)).mean();
}

/// Indices of the sums that count_translation() returns for a batch. kMatches and kNgrams are each
/// the first of kBleuOrder consecutive sums, one for each n-gram length.
enum TranslationSum {
  kTokenLoss,
  kTokens,
  kCorrectTokens,
  kExact,
  kLength,
  kReferenceLength,
  kMatches,
  kNgrams = kMatches + static_cast<int>(kBleuOrder),
  kTranslationSums = kNgrams + static_cast<int>(kBleuOrder)
};

/// Returns the tokens of a sentence before its end token or its padding.
std::span<const std::int64_t> sentence(const at::Tensor& row) {
  const std::span all(row.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(row.numel()));
  std::size_t length = 0;
  while (length < all.size() && all[length] != kEnd && all[length] != kPad) ++length;
  return all.first(length);
}

/// Returns the sums from which the metrics are computed, for one batch. `output` is samples x
/// length x (words + 1). The last entry of each position is the token of the translation that the
/// model itself produced, and the other entries are scores. A word outside the vocabulary never
/// counts as correct, because all such words share one token.
std::vector<double> count_translation(const at::Tensor& output, const at::Tensor& target) {
  const std::int64_t words = output.size(2) - 1;
  const at::Tensor scores = output.narrow(2, 0, words);
  const at::Tensor own = output.select(2, words).to(at::kLong).cpu().contiguous();
  const at::Tensor references = target.cpu().contiguous();
  const at::Tensor is_token = target.ne(kPad), is_known = is_token.logical_and(target.ne(kUnknown));
  std::vector<double> sums(kTranslationSums);
  sums[kTokenLoss] = token_losses(scores, target, 0).sum(at::kDouble).item<double>();
  sums[kTokens] = is_token.sum().item<double>();
  sums[kCorrectTokens] = scores.argmax(2).eq(target).logical_and(is_known).sum().item<double>();
  BleuCounts counts;
  for (std::int64_t i = 0; i < target.size(0); ++i) {
    const at::Tensor own_row = own[i], reference_row = references[i];
    const auto translation = sentence(own_row);
    const auto reference = sentence(reference_row);
    add_sentence(counts, translation, reference, kUnknown);
    const bool is_exact = std::ranges::equal(translation, reference) &&
                          std::ranges::find(reference, kUnknown) == reference.end();
    sums[kExact] += is_exact ? 1 : 0;
  }
  sums[kLength] = counts.length;
  sums[kReferenceLength] = counts.reference_length;
  std::ranges::copy(counts.matches, sums.begin() + kMatches);
  std::ranges::copy(counts.ngrams, sums.begin() + kNgrams);
  return sums;
}

void conclude_translation(const std::vector<double>& sums, contract::EvalRecord& record) {
  record.loss = sums[kTokenLoss] / sums[kTokens];
  record.correct = static_cast<std::int64_t>(sums[kExact]);
  record.accuracy = sums[kExact] / static_cast<double>(record.samples);
  BleuCounts counts{.length = sums[kLength], .reference_length = sums[kReferenceLength]};
  std::copy_n(sums.begin() + kMatches, kBleuOrder, counts.matches.begin());
  std::copy_n(sums.begin() + kNgrams, kBleuOrder, counts.ngrams.begin());
  record.metrics["bleu"] = bleu(counts);
  record.metrics["perplexity"] = std::exp(record.loss);
  record.metrics["token_accuracy"] = sums[kCorrectTokens] / sums[kTokens];
}

}  // namespace

extern const TaskEntry translation_entry;
const TaskEntry translation_entry{
    .name = "translation",
    .summary = "translates each input sentence into an output sentence",
    .loss = translation_loss,
    .count = count_translation,
    .counts = kTranslationSums,
    .conclude = conclude_translation,
    .headline = "bleu",
    .evaluation_batch = 32,
    .needs_whole_model = true};

}  // namespace dlscale::trainer
