// SPDX-License-Identifier: Apache-2.0
// MNIST (LeCun, Cortes, Burges): 60,000 and 10,000 digits of 28x28.
#include "trainer/data/idx_images.hpp"

namespace dlscale::trainer {
namespace {

Dataset load(const contract::DatasetSpec& spec) {
  return load_idx_images(
      spec, {.mean = 0.1307, .deviation = 0.3081});  // as PyTorch's MNIST example uses them
}

}  // namespace

extern const DatasetEntry mnist_entry;
const DatasetEntry mnist_entry{.name = "mnist",
                               .summary = "handwritten digits, from IDX files (plain or .gz)",
                               .load = load,
                               .shape = "1x28x28"};

}  // namespace dlscale::trainer
