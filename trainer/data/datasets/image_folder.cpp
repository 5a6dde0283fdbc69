// SPDX-License-Identifier: Apache-2.0
// Data set of images in one folder per class, like torchvision's ImageFolder.
#include "trainer/data/image_tree.hpp"

namespace dlscale::trainer {
namespace {

Dataset load(const contract::DatasetSpec& spec) {
  return load_image_tree(spec, colours_of_imagenet());
}

}  // namespace

extern const DatasetEntry image_folder_entry;
const DatasetEntry image_folder_entry{.name = "image_folder",
                                      .summary = "JPEG and PNG files in folders of their classes",
                                      .load = load,
                                      .any_size = true};

}  // namespace dlscale::trainer
