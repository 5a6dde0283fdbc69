// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/picture_loader.hpp"

#include <ATen/ops/empty.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/data/picture_pool.hpp"

namespace dlscale::trainer {

bool hands_over_bytes(const LoaderContext& context) {
  if (context.precision == Precision::fp64) return true;
  const std::string& said = context.options.hand_over;
  return said.empty() ? context.pinned : said == "uint8";
}

const PictureSource& pictures_of(const LoaderContext& context) {
  if (context.split.pictures) return *context.split.pictures;
  throw base::RunError(
      "loader: this loader reads image files, but the data set is in memory; use \"memory\"",
      contract::kExitBadRunDescription);
}

BrokenPictures broken_pictures_of(const LoaderContext& context) {
  const bool skips = context.options.on_broken == "skip" && !context.is_evaluation;
  return {.replacements = skips ? context.split.size() : 0, .of_test_set = context.is_evaluation};
}

int prefetch_of(const LoaderContext& context) {
  constexpr int kUsual = 2;
  return context.options.prefetch > 0 ? context.options.prefetch : kUsual;
}

int threads_of(const LoaderContext& context) {
  return context.options.threads > 0 ? context.options.threads : context.cores;
}

at::Tensor labels_of(const LoaderContext& context, std::span<const std::int64_t> samples) {
  at::Tensor labels = at::empty({static_cast<std::int64_t>(samples.size())},
                                at::TensorOptions(at::kLong).pinned_memory(context.pinned));
  auto* label = labels.data_ptr<std::int64_t>();
  for (const std::int64_t sample : samples) {
    *label++ = context.split.labels[static_cast<std::size_t>(sample)];
  }
  return labels;
}

namespace {

std::array<double, images::kColours> of_colours(const std::vector<double>& values) {
  return {values.at(0), values.at(1), values.at(2)};
}

PictureRecipe recipe_for(const LoaderContext& context) {
  PictureRecipe recipe = context.pictures;
  if (!hands_over_bytes(context)) {
    recipe.normalisation.emplace(of_colours(context.dataset.mean),
                                 of_colours(context.dataset.deviation));
  }
  return recipe;
}

class PictureLoader : public Loader {
 public:
  explicit PictureLoader(const LoaderContext& context)
      : context_(context),
        recipe_(recipe_for(context)),
        prefetch_(prefetch_of(context)),
        pool_({.source = pictures_of(context),
               .recipe = recipe_,
               .clock = clock_,
               .threads = threads_of(context),
               .broken = broken_pictures_of(context)}) {}

  void start(Delivery delivery) override {
    pool_.forget();
    for (at::Tensor& images : asked_) free_.push_back(std::move(images));
    asked_.clear();
    delivery_ = std::move(delivery);
    position_ = 0;
    recycle(std::move(delivered_));
    for (int i = 0; i < prefetch_ && position_ < delivery_.samples.size(); ++i) ask();
  }

  Batch next() override {
    recycle(std::move(delivered_));
    ask();
    if (asked_.empty()) return {};
    delivered_ = std::move(asked_.front());
    asked_.pop_front();
    const PictureBatch made = pool_.wait();
    const auto count = static_cast<std::int64_t>(made.taken.size());
    const bool is_whole = delivered_.size(0) == count;
    const at::Tensor input = is_whole ? delivered_ : delivered_.narrow(0, 0, count);
    return {input, context_.target_is_input ? input : labels_of(context_, made.taken)};
  }

  LoaderWork take_work() override {
    const PoolWork now = pool_.work();
    const PoolWork before = std::exchange(counted_, now);
    return {now.busy_s - before.busy_s, now.bytes - before.bytes, now.skipped - before.skipped};
  }

 private:
  void ask() {
    const std::size_t left = delivery_.samples.size() - position_;
    const std::size_t count = std::min(static_cast<std::size_t>(delivery_.batch_size), left);
    if (count == 0) return;
    const auto first = delivery_.samples.begin() + static_cast<std::ptrdiff_t>(position_);
    position_ += count;
    asked_.push_back(memory_for(delivery_.batch_size));
    pool_.ask({.taken = {first, first + static_cast<std::ptrdiff_t>(count)},
               .epoch = delivery_.epoch,
               .out = static_cast<std::uint8_t*>(asked_.back().data_ptr())});
  }

  at::Tensor memory_for(std::int64_t samples) {
    while (!free_.empty()) {
      const at::Tensor images = std::move(free_.back());
      free_.pop_back();
      if (images.size(0) == samples) return images;
    }
    const bool last = recipe_.layout == images::Layout::channels_last;
    return at::empty(
        {samples, images::kColours, recipe_.side, recipe_.side},
        at::TensorOptions(recipe_.normalisation ? at::kFloat : at::kByte)
            .pinned_memory(context_.pinned)
            .memory_format(last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous));
  }

  /// Adds the memory of a batch to the list of free memory, unless another object still refers to
  /// the memory. Pinned memory is not added, because an asynchronous copy may still read it.
  /// Instead, pinned memory returns to LibTorch, and LibTorch reuses the memory only after the copy
  /// is done.
  void recycle(at::Tensor images) {
    if (!images.defined() || context_.pinned) return;
    if (images.use_count() == 1 && images.storage().use_count() == 1) {
      free_.push_back(std::move(images));
    }
  }

  const base::SystemClock clock_;
  const LoaderContext context_;
  const PictureRecipe recipe_;
  const int prefetch_;
  Delivery delivery_;
  std::size_t position_ = 0;      ///< index of the next sample to request
  std::deque<at::Tensor> asked_;  ///< image tensors of requested batches
  at::Tensor delivered_;          ///< image tensor of the last delivered batch
  std::vector<at::Tensor> free_;
  PoolWork counted_;
  PicturePool pool_;  ///< declared last, because its threads use the members above
};

}  // namespace

std::unique_ptr<Loader> make_picture_loader(const LoaderContext& context) {
  return std::make_unique<PictureLoader>(context);
}

}  // namespace dlscale::trainer
