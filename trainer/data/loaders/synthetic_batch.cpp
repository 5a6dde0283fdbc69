// SPDX-License-Identifier: Apache-2.0
// Loader that prepares one batch and delivers the same batch in every step. It shows how fast
// training would be if loading took no time.
#include <algorithm>

#include "trainer/data/loader.hpp"

namespace dlscale::trainer {

extern const LoaderEntry memory_entry;
extern const LoaderEntry native_entry;
extern const LoaderEntry text_entry;

namespace {

/// Returns the loader that makes the repeated batch.
const LoaderEntry& maker_of(const LoaderContext& context) {
  if (context.dataset.is_text()) return text_entry;
  return context.split.pictures ? native_entry : memory_entry;
}

class SyntheticLoader : public Loader {
 public:
  explicit SyntheticLoader(const LoaderContext& context)
      : maker_(maker_of(context).make(context)) {}

  void start(Delivery delivery) override {
    left_ = static_cast<std::int64_t>(delivery.samples.size());
    batch_size_ = std::min(delivery.batch_size, left_);
    // The batch of an earlier start() is used again if it is large enough. A device that has a copy
    // of the batch can then keep the copy.
    if (prepared_.size() >= batch_size_) return;
    delivery.samples.resize(static_cast<std::size_t>(batch_size_));
    maker_->start({std::move(delivery.samples), batch_size_});
    prepared_ = maker_->next();
  }

  Batch next() override {
    const std::int64_t count = std::min(batch_size_, left_);
    if (count == 0) return {};
    left_ -= count;
    const at::Tensor input = prepared_.input.narrow(0, 0, count);
    const bool is_input = prepared_.target.is_same(prepared_.input);
    return {input, is_input ? input : prepared_.target.narrow(0, 0, count)};
  }

  bool repeats() const override { return true; }

 private:
  std::unique_ptr<Loader> maker_;
  Batch prepared_;
  std::int64_t batch_size_ = 0;
  std::int64_t left_ = 0;
};

std::unique_ptr<Loader> make_synthetic_batch_loader(const LoaderContext& context) {
  return std::make_unique<SyntheticLoader>(context);
}

}  // namespace

extern const LoaderEntry synthetic_batch_entry;
const LoaderEntry synthetic_batch_entry{
    .name = "synthetic",
    .summary = "one batch, prepared once: loading costs nothing",
    .make = make_synthetic_batch_loader,
    .samples = "any",
    .any_size = true,
    .in_memory = true};

}  // namespace dlscale::trainer
