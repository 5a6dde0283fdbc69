// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/picture_choices.hpp"

#include <ATen/ops/empty.h>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

bool hands_over_bytes(const LoaderContext& context) {
  if (context.precision == Precision::fp64) return true;
  const std::string& said = context.options.hand_over;
  return said.empty() ? context.pinned : said == "uint8";
}

const PictureSource& pictures_of(const LoaderContext& context) {
  if (context.split.pictures) return *context.split.pictures;
  throw base::RunError(
      "loader: this one decodes pictures, but the data set is in memory; use memory",
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

}  // namespace dlscale::trainer
