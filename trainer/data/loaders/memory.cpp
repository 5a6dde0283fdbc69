// SPDX-License-Identifier: Apache-2.0
// Loader for data sets that are in memory as bytes. It collects and normalises the images of a
// batch in one pass.
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/data/loader.hpp"

namespace dlscale::trainer {
namespace {

class MemoryLoader : public GatheringLoader {
 public:
  explicit MemoryLoader(const LoaderContext& context) : context_(context) {
    const ImageShape& shape = context_.dataset.shape;
    const int padding = context_.augmentation.random_crop;
    if (padding > 0 && padding >= std::min(shape.height, shape.width)) {
      throw base::RunError(fmt::format("dataset.random_crop: is {}, but must be less than both "
                                       "sides of the images ({}x{})",
                                       padding, shape.height, shape.width),
                           contract::kExitBadRunDescription);
    }
    shifted_.resize(context_.augmentation.is_on() ? shape.values() : 0);
  }

 private:
  Batch gather(Samples samples) override {
    const auto count = static_cast<std::int64_t>(samples.size());
    const ImageShape& shape = context_.dataset.shape;
    const bool wide = context_.precision == Precision::fp64;
    Batch batch{at::empty({count, shape.channels, shape.height, shape.width},
                          options(wide ? at::kDouble : at::kFloat)),
                at::empty({count}, options(at::kLong))};
    if (wide) {
      gather_images(samples, batch.input.data_ptr<double>());
    } else {
      gather_images(samples, batch.input.data_ptr<float>());
    }
    if (context_.target_is_input) return {batch.input, batch.input};
    std::int64_t* target = batch.target.data_ptr<std::int64_t>();
    for (std::int64_t sample : samples) *target++ = context_.split.labels[sample];
    return batch;
  }

  at::TensorOptions options(at::ScalarType type) const {
    return at::TensorOptions(type).pinned_memory(context_.pinned);
  }

  template <class Real>
  void gather_images(Samples samples, Real* out) {
    const Dataset& dataset = context_.dataset;
    const std::int64_t plane = std::int64_t{1} * dataset.shape.height * dataset.shape.width;
    for (std::int64_t sample : samples) {
      const std::uint8_t* in = pixels_of(sample);
      for (int channel = 0; channel < dataset.shape.channels; ++channel) {
        const Real scale = static_cast<Real>(1 / (255 * dataset.deviation[channel]));
        const Real shift = static_cast<Real>(dataset.mean[channel] / dataset.deviation[channel]);
        for (std::int64_t i = 0; i < plane; ++i) out[i] = static_cast<Real>(in[i]) * scale - shift;
        in += plane;
        out += plane;
      }
    }
  }

  const std::uint8_t* pixels_of(std::int64_t sample) {
    const ImageShape& shape = context_.dataset.shape;
    const std::uint8_t* image = context_.split.image(sample, shape);
    if (shifted_.empty()) return image;
    shift_image(image, shape, draw_shift(context_.augmentation, epoch(), sample), shifted_.data());
    return shifted_.data();
  }

  LoaderContext context_;
  std::vector<std::uint8_t> shifted_;  ///< buffer for one augmented image
};

std::unique_ptr<Loader> make_memory_loader(const LoaderContext& context) {
  return std::make_unique<MemoryLoader>(context);
}

}  // namespace

extern const LoaderEntry memory_entry;
const LoaderEntry memory_entry{
    .name = "memory",
    .summary = "the whole data set in memory; only crops and mirrors samples",
    .make = make_memory_loader,
    .augments = true,
    .in_memory = true};

}  // namespace dlscale::trainer
