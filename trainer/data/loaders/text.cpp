// SPDX-License-Identifier: Apache-2.0
// Loader of texts as tokens, which pads each batch to the length of its longest text.
#include <ATen/ops/full.h>

#include <algorithm>

#include "trainer/data/loader.hpp"
#include "trainer/data/text/vocabulary.hpp"

namespace dlscale::trainer {
namespace {

class TextLoader : public GatheringLoader {
 public:
  explicit TextLoader(const LoaderContext& context)
      : context_(context), translates_(context.split.translation.size() > 0) {
    if (!context.is_evaluation) return;
    for (std::int64_t i = 0; i < context.split.size(); ++i) {
      least_length_ = std::max(least_length_, length_of(i));
    }
  }

 private:
  Batch gather(Samples samples) override {
    std::int64_t length = least_length_;
    for (const std::int64_t sample : samples) length = std::max(length, length_of(sample));
    return translates_ ? sentences(samples, length) : labelled(samples, length);
  }

  /// Returns the number of tokens of a sample. In translation, each text has one additional token:
  /// the end token of the source sentence, or the start token of the target sentence.
  std::int64_t length_of(std::int64_t sample) const {
    const auto text = static_cast<std::int64_t>(context_.split.text[sample].size());
    if (!translates_) return text;
    return 1 + std::max(text, static_cast<std::int64_t>(context_.split.translation[sample].size()));
  }

  at::Tensor padded(at::IntArrayRef shape) const {
    return at::full(shape, kPad, at::TensorOptions(at::kLong).pinned_memory(context_.pinned));
  }

  Batch labelled(Samples samples, std::int64_t length) const {
    const auto count = static_cast<std::int64_t>(samples.size());
    Batch batch{padded({count, length}), padded({count})};
    auto* input = batch.input.data_ptr<std::int64_t>();
    auto* target = batch.target.data_ptr<std::int64_t>();
    for (const std::int64_t sample : samples) {
      std::ranges::copy(context_.split.text[sample], input);
      input += length;
      *target++ = context_.split.labels[static_cast<std::size_t>(sample)];
    }
    return batch;
  }

  Batch sentences(Samples samples, std::int64_t length) const {
    const auto count = static_cast<std::int64_t>(samples.size());
    Batch batch{padded({count, 2, length}), padded({count, length})};
    auto* input = batch.input.data_ptr<std::int64_t>();
    auto* target = batch.target.data_ptr<std::int64_t>();
    for (const std::int64_t sample : samples) {
      const auto translation = context_.split.translation[sample];
      *std::ranges::copy(context_.split.text[sample], input).out = kEnd;
      input[length] = kBegin;
      std::ranges::copy(translation, input + length + 1);
      *std::ranges::copy(translation, target).out = kEnd;
      input += 2 * length;
      target += length;
    }
    return batch;
  }

  LoaderContext context_;
  bool translates_;
  std::int64_t least_length_ = 1;
};

std::unique_ptr<Loader> make_text_loader(const LoaderContext& context) {
  return std::make_unique<TextLoader>(context);
}

}  // namespace

extern const LoaderEntry text_entry;
const LoaderEntry text_entry{.name = "text",
                             .summary = "texts in memory; each batch is padded to its longest text",
                             .make = make_text_loader,
                             .samples = "text",
                             .in_memory = true};

}  // namespace dlscale::trainer
