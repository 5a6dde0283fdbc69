// SPDX-License-Identifier: Apache-2.0
// Data sets that are a tree of image files: <split>/<class>/<image>.
#pragma once

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

/// Of red, green and blue, between 0 and 1.
struct ColourStatistics {
  std::vector<double> mean, deviation;
};

/// What torchvision's models are made for.
ColourStatistics colours_of_imagenet();

/// Classes are the folders of train, by name; samples are the classes' images by name, class after
/// class in turn, so that every beginning is balanced. With spec.image_size the files are noted and
/// none is opened, without it all are decoded into memory. As DatasetEntry::load.
Dataset load_image_tree(const contract::DatasetSpec& spec, const ColourStatistics& colours);

}  // namespace dlscale::trainer
