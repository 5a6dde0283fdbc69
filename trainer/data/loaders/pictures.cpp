// SPDX-License-Identifier: Apache-2.0
// Loaders whose threads decode, cut and scale images in parallel with training, from image files or
// from record files.
#include "trainer/data/packed_images.hpp"
#include "trainer/data/picture_loader.hpp"

namespace dlscale::trainer {

// Loader of image files, decoded, cut and scaled by threads in parallel with training.
extern const LoaderEntry native_entry;
const LoaderEntry native_entry{
    .name = "native",
    .summary = "JPEG and PNG files of any size, decoded, cropped and scaled by threads",
    .make = make_picture_loader,
    .augments = true,
    .any_size = true};

// Loader of record files, one per split, decoded, cut and scaled by threads in parallel with
// training.
extern const LoaderEntry packed_entry;
const LoaderEntry packed_entry{
    .name = "packed",
    .summary = "images from one record file per split, written by dlscale pack",
    .make = make_picture_loader,
    .augments = true,
    .any_size = true,
    .load = load_packed_images};

}  // namespace dlscale::trainer
