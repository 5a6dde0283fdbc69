// SPDX-License-Identifier: Apache-2.0
// The loader of pictures of any size, wherever they come from.
#pragma once

#include <memory>

#include "trainer/data/loader.hpp"

namespace dlscale::trainer {

/// Of context.split.pictures, by a PicturePool. Batches lie in memory that is used again when the
/// next one is asked for and nobody holds the one before. Throws base::RunError
/// (contract::kExitBadRunDescription) where the split has no pictures.
std::unique_ptr<Loader> make_picture_loader(const LoaderContext& context);

}  // namespace dlscale::trainer
