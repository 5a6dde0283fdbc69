// SPDX-License-Identifier: Apache-2.0
// Data set of images in TFRecord files, as TensorFlow's scripts for ImageNet write them.
#include "trainer/data/tfrecord_images.hpp"

namespace dlscale::trainer {

extern const DatasetEntry tfrecord_entry;
const DatasetEntry tfrecord_entry{.name = "tfrecord",
                                  .summary = "JPEG and PNG images in TFRecord files",
                                  .load = load_tfrecord_images,
                                  .any_size = true};

}  // namespace dlscale::trainer
