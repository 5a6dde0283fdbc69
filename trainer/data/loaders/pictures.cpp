// SPDX-License-Identifier: Apache-2.0
// Loaders of image files and of record files. Their threads decode, crop and scale images in
// parallel with training.
#include "trainer/data/packed_images.hpp"
#include "trainer/data/picture_loader.hpp"

namespace dlscale::trainer {

// Loader of image files. Its threads decode, crop and scale the images in parallel with training.
extern const LoaderEntry native_entry;
const LoaderEntry native_entry{
    .name = "native",
    .summary = "JPEG and PNG files of any size, decoded, cropped and scaled by threads",
    .make = make_picture_loader,
    .augments = true,
    .any_size = true};

// Loader of record files, with one file per split. Its threads decode, crop and scale the images in
// parallel with training.
extern const LoaderEntry packed_entry;
const LoaderEntry packed_entry{
    .name = "packed",
    .summary = "images from one record file per split, written by dlscale pack",
    .make = make_picture_loader,
    .augments = true,
    .any_size = true,
    .load = load_packed_images};

}  // namespace dlscale::trainer
