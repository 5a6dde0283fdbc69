// SPDX-License-Identifier: Apache-2.0
// Files decoded, cut and scaled by threads beside the training.
#include "trainer/data/picture_loader.hpp"

namespace dlscale::trainer {

extern const LoaderEntry native_entry;
const LoaderEntry native_entry{
    .name = "native",
    .summary = "JPEG and PNG files of any size, decoded, cut and scaled by threads",
    .make = make_picture_loader,
    .augments = true,
    .any_size = true};

}  // namespace dlscale::trainer
