// SPDX-License-Identifier: Apache-2.0
// Images in folders of their classes, as torchvision's ImageFolder reads them.
#include "trainer/data/image_tree.hpp"

namespace dlscale::trainer {
namespace {

Dataset load(const contract::DatasetSpec& spec) {
  // ImageNet's, as torchvision's models take them.
  return load_image_tree(spec, {.mean = {0.485, 0.456, 0.406}, .deviation = {0.229, 0.224, 0.225}});
}

}  // namespace

extern const DatasetEntry image_folder_entry;
const DatasetEntry image_folder_entry{
    "image_folder", "JPEG and PNG files of one size in folders of their classes", load};

}  // namespace dlscale::trainer
