// SPDX-License-Identifier: Apache-2.0
// The loader of pictures of any size, wherever they come from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "trainer/data/loader.hpp"
#include "trainer/data/picture_maker.hpp"

namespace dlscale::trainer {

// What all loaders that decode pictures make of a run's choices.

/// Bytes where the device normalises them: a quarter of the memory that is copied.
bool hands_over_bytes(const LoaderContext& context);

/// Throws base::RunError (contract::kExitBadRunDescription) where the split has no pictures.
const PictureSource& pictures_of(const LoaderContext& context);

/// What the run says is to be done about broken pictures.
BrokenPictures broken_pictures_of(const LoaderContext& context);

/// Batches prepared ahead of the step.
int prefetch_of(const LoaderContext& context);

/// Threads that decode.
int threads_of(const LoaderContext& context);

/// In memory as the context wants it.
at::Tensor labels_of(const LoaderContext& context, std::span<const std::int64_t> samples);

/// Of context.split.pictures, by a PicturePool. Batches lie in memory that is used again when the
/// next one is asked for and nobody holds the one before. Throws base::RunError
/// (contract::kExitBadRunDescription) where the split has no pictures.
std::unique_ptr<Loader> make_picture_loader(const LoaderContext& context);

}  // namespace dlscale::trainer
