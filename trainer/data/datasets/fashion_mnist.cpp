// SPDX-License-Identifier: Apache-2.0
// Fashion-MNIST (Xiao, Rasul, Vollgraf, 2017): 60,000 and 10,000 articles of clothing, 28x28.
#include "trainer/data/idx_images.hpp"

namespace dlscale::trainer {
namespace {

Dataset load(const contract::DatasetSpec& spec) {
  return load_idx_images(spec, {.mean = 0.2860, .deviation = 0.3530});  // of the training pixels
}

}  // namespace

extern const DatasetEntry fashion_mnist_entry;
const DatasetEntry fashion_mnist_entry{
    .name = "fashion_mnist",
    .summary = "articles of clothing, from IDX files (plain or .gz)",
    .load = load,
    .shape = "1x28x28"};

}  // namespace dlscale::trainer
