// SPDX-License-Identifier: Apache-2.0
// Data sets of ten classes in the four IDX files of MNIST.
#pragma once

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

/// Of the training pixels, between 0 and 1.
struct PixelStatistics {
  double mean, deviation;
};

/// As DatasetEntry::load.
Dataset load_idx_images(const contract::DatasetSpec& spec, const PixelStatistics& pixels);

}  // namespace dlscale::trainer
