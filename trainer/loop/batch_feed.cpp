// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/batch_feed.hpp"

#include <torch/types.h>

#include <utility>

namespace dlscale::trainer {

using contract::StepPart;

BatchFeed::BatchFeed(Loader& loader, Device& device, const Dataset& dataset, Precision precision)
    : loader_(loader),
      device_copy_(device.torch_device(), dataset, precision),
      side_(loader.repeats() ? nullptr : device.side_stream()) {}

void BatchFeed::start(Delivery delivery) {
  left_ = static_cast<std::int64_t>(delivery.samples.size());
  ahead_ = false;
  direct_ = {};
  loader_.start(std::move(delivery));
}

Batch BatchFeed::next(StepTimer& timer) {
  timer.enter(StepPart::load_wait);
  if (ahead_) {
    ahead_ = false;
    slot_ = 1 - slot_;
    side_->use(slot_);
    return buffers_[static_cast<std::size_t>(slot_)];
  }
  Batch batch = std::exchange(direct_, {});
  if (!batch.target.defined()) {
    batch = loader_.next();
    left_ -= batch.size();
  }
  timer.enter(StepPart::h2d);
  if (!loader_.repeats()) return device_copy_(batch);
  if (kept_.size() != batch.size()) kept_ = device_copy_(batch);
  return kept_;
}

void BatchFeed::fetch_ahead(StepTimer& timer) {
  if (side_ == nullptr) return;
  side_->release(slot_);
  if (left_ <= 0) return;
  timer.enter(StepPart::load_wait);
  const Batch batch = loader_.next();
  left_ -= batch.size();
  timer.enter(StepPart::h2d);
  const int slot = 1 - slot_;
  Batch& buffer = buffers_[static_cast<std::size_t>(slot)];
  const bool is_first = !buffer.target.defined();
  // DALI makes its batches on the GPU, so they need no copy.
  if (batch.input.is_cuda() || (!is_first && !fits(batch, buffer))) {
    direct_ = batch;
    return;
  }
  ahead_ = true;
  if (is_first) {
    buffer = device_copy_(batch);
    return;
  }
  side_->fill(slot, [this, batch, &buffer] {
    const Batch brought = device_copy_(batch);
    buffer.input.copy_(brought.input);
    if (!buffer.target.is_same(buffer.input)) buffer.target.copy_(brought.target);
  });
}

bool BatchFeed::fits(const Batch& batch, const Batch& buffer) const {
  return batch.input.sizes() == buffer.input.sizes() &&
         batch.target.sizes() == buffer.target.sizes();
}

}  // namespace dlscale::trainer
