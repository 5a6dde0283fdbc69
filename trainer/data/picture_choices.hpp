// SPDX-License-Identifier: Apache-2.0
// What all loaders that decode pictures make of a run's choices.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/data/batch.hpp"
#include "trainer/data/broken_pictures.hpp"
#include "trainer/data/loader.hpp"

namespace dlscale::trainer {

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

}  // namespace dlscale::trainer
