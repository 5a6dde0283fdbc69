// SPDX-License-Identifier: Apache-2.0
// Data sets that are a tree of image files: <split>/<class>/<image>.
#pragma once

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

/// Mean and standard deviation of red, green and blue, between 0 and 1.
struct ColourStatistics {
  std::vector<double> mean, deviation;
};

/// Returns the statistics of ImageNet, which torchvision's models expect.
ColourStatistics colours_of_imagenet();

/// Decodes all images of split.pictures to split.pixels, and removes the source. The images must
/// all have the size in `shape`. If shape.height is 0, the first image sets `shape`. Throws
/// base::RunError (contract::kExitData) with the name of an image that is broken or has another
/// size.
void decode_into_memory(Split& split, ImageShape& shape);

/// Loads a tree of image files, like DatasetEntry::load. The classes are the folders in train,
/// sorted by name. The samples are one image from each class in turn, sorted by name within a
/// class. The classes are therefore balanced in the first N samples for any N. If spec.image_size
/// is set, the function only lists the files. Otherwise, it decodes all images into memory.
Dataset load_image_tree(const contract::DatasetSpec& spec, const ColourStatistics& colours);

}  // namespace dlscale::trainer
