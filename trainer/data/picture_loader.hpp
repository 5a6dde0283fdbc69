// SPDX-License-Identifier: Apache-2.0
// Loader for images of any size from any source, and the settings shared by all loaders that decode
// images.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "trainer/data/loader.hpp"
#include "trainer/data/picture_maker.hpp"

namespace dlscale::trainer {

// Settings that all loaders of encoded images derive from the run description.

/// Returns true if batches contain bytes, which the device normalises. Bytes need only a quarter of
/// the memory traffic of float32 values.
bool hands_over_bytes(const LoaderContext& context);

/// Returns the source of encoded images. Throws base::RunError (contract::kExitBadRunDescription)
/// when the split has no such source.
const PictureSource& pictures_of(const LoaderContext& context);

/// Returns how the run treats broken images.
BrokenPictures broken_pictures_of(const LoaderContext& context);

/// Returns the number of batches to prepare ahead of the training step.
int prefetch_of(const LoaderContext& context);

/// Returns the number of threads that decode images.
int threads_of(const LoaderContext& context);

/// Returns the labels of `samples` as int64, in pinned memory if the context requires pinned
/// memory.
at::Tensor labels_of(const LoaderContext& context, std::span<const std::int64_t> samples);

/// Returns a loader that decodes context.split.pictures with a PicturePool. A call of next() reuses
/// the memory of the previous batch, unless the caller still holds a reference to that batch.
/// Throws base::RunError (contract::kExitBadRunDescription) when the split has no source of encoded
/// images.
std::unique_ptr<Loader> make_picture_loader(const LoaderContext& context);

}  // namespace dlscale::trainer
