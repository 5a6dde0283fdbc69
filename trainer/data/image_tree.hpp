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

/// Loads a tree of image files, like DatasetEntry::load. The classes are the folders of train,
/// sorted by name. The samples take one image from each class in turn, sorted by name within a
/// class, so that every prefix of the split is balanced. With spec.image_size the function only
/// lists the files. Without spec.image_size it decodes all images into memory.
Dataset load_image_tree(const contract::DatasetSpec& spec, const ColourStatistics& colours);

}  // namespace dlscale::trainer
