// SPDX-License-Identifier: Apache-2.0
// Loaders that make a batch when it is asked for.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "trainer/data/batch.hpp"
#include "trainer/data/loader.hpp"

namespace dlscale::trainer {

class GatheringLoader : public Loader {
 public:
  void start(Delivery delivery) final {
    delivery_ = std::move(delivery);
    position_ = 0;
  }
  Batch next() final {
    const std::size_t count = std::min(static_cast<std::size_t>(delivery_.batch_size),
                                       delivery_.samples.size() - position_);
    if (count == 0) return {};
    const std::span samples(delivery_.samples.data() + position_, count);
    position_ += count;
    return gather(samples);
  }

 protected:
  using Samples = std::span<const std::int64_t>;
  virtual Batch gather(Samples samples) = 0;
  int epoch() const { return delivery_.epoch; }

 private:
  Delivery delivery_;
  std::size_t position_ = 0;
};

}  // namespace dlscale::trainer
