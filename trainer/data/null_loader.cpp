// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/null_loader.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "trainer/data/loader.hpp"

namespace dlscale::trainer {
namespace {

class NullLoader : public Loader {
 public:
  void start(Delivery delivery) override {
    left_ = static_cast<std::int64_t>(delivery.samples.size());
    batch_size_ = delivery.batch_size;
  }
  Batch next() override {
    const std::int64_t count = std::min(batch_size_, left_);
    left_ -= count;
    return {at::empty({count, 0}, at::kFloat), at::empty({count}, at::kLong)};
  }

 private:
  std::int64_t left_ = 0;
  std::int64_t batch_size_ = 1;
};

}  // namespace

std::unique_ptr<Loader> make_null_loader() {
  return std::make_unique<NullLoader>();
}

}  // namespace dlscale::trainer
