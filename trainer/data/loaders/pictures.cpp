// SPDX-License-Identifier: Apache-2.0
// Pictures decoded, cut and scaled by threads beside the training: from files of classes, or from
// records.
#include "trainer/data/packed_images.hpp"
#include "trainer/data/picture_loader.hpp"

namespace dlscale::trainer {

// Files decoded, cut and scaled by threads beside the training.
extern const LoaderEntry native_entry;
const LoaderEntry native_entry{
    .name = "native",
    .summary = "JPEG and PNG files of any size, decoded, cut and scaled by threads",
    .make = make_picture_loader,
    .augments = true,
    .any_size = true};

// Records of one file for each split, decoded, cut and scaled by threads beside the training.
extern const LoaderEntry packed_entry;
const LoaderEntry packed_entry{
    .name = "packed",
    .summary = "images of one record file for each split, which dlscale pack makes",
    .make = make_picture_loader,
    .augments = true,
    .any_size = true,
    .load = load_packed_images};

}  // namespace dlscale::trainer
