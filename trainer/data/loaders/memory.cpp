// SPDX-License-Identifier: Apache-2.0
// The whole data set stays in memory as bytes; a batch is gathered and normalised in one pass.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <span>
#include <utility>

#include "trainer/data/batch.hpp"
#include "trainer/data/loader.hpp"

namespace dlscale::trainer {
namespace {

using Samples = std::span<const std::int64_t>;

class MemoryLoader : public Loader {
 public:
  explicit MemoryLoader(const LoaderContext& context) : context_(context) {}

  void start(std::vector<std::int64_t> samples, std::int64_t batch_size) override {
    samples_ = std::move(samples);
    batch_size_ = static_cast<std::size_t>(batch_size);
    position_ = 0;
  }

  Batch next() override {
    const std::size_t count = std::min(batch_size_, samples_.size() - position_);
    if (count == 0) return {};
    const Samples samples(samples_.data() + position_, count);
    position_ += count;
    const ImageShape& shape = context_.dataset.shape;
    const bool wide = context_.precision == Precision::fp64;
    Batch batch{
        at::empty({static_cast<std::int64_t>(count), shape.channels, shape.height, shape.width},
                  options(wide ? at::kDouble : at::kFloat)),
        at::empty({static_cast<std::int64_t>(count)}, options(at::kLong))};
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

 private:
  at::TensorOptions options(at::ScalarType type) const {
    return at::TensorOptions(type).pinned_memory(context_.pinned);
  }

  template <class Real>
  void gather_images(Samples samples, Real* out) const {
    const Dataset& dataset = context_.dataset;
    const std::int64_t plane = std::int64_t{1} * dataset.shape.height * dataset.shape.width;
    for (std::int64_t sample : samples) {
      const std::uint8_t* in = context_.split.image(sample, dataset.shape);
      for (int channel = 0; channel < dataset.shape.channels; ++channel) {
        const Real scale = static_cast<Real>(1 / (255 * dataset.deviation[channel]));
        const Real shift = static_cast<Real>(dataset.mean[channel] / dataset.deviation[channel]);
        for (std::int64_t i = 0; i < plane; ++i) out[i] = static_cast<Real>(in[i]) * scale - shift;
        in += plane;
        out += plane;
      }
    }
  }

  LoaderContext context_;
  std::vector<std::int64_t> samples_;
  std::size_t batch_size_ = 1;
  std::size_t position_ = 0;
};

std::unique_ptr<Loader> make(const LoaderContext& context) {
  return std::make_unique<MemoryLoader>(context);
}

}  // namespace

extern const LoaderEntry memory_entry;
const LoaderEntry memory_entry{"memory", "the whole data set in memory, no work per sample", make};

}  // namespace dlscale::trainer
