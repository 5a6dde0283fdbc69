// SPDX-License-Identifier: Apache-2.0
// The serialized pipelines of this folder (make_pipelines.py), which are part of the program.
#pragma once

#include <span>
#include <string_view>

#include "images/normalise.hpp"
#include "images/resize.hpp"

namespace dlscale::trainer::dali {

/// Which of them.
struct PipelineKind {
  bool on_gpu = false;     ///< nvJPEG decodes, and images stay on the GPU
  bool normalised = true;  ///< fp32; else bytes
  images::Layout layout = images::Layout::planes;
  images::Resample resample = images::Resample::antialiased;
};

/// What DALI deserializes.
std::string_view shipped_pipeline(const PipelineKind& kind);

struct ShippedPipeline {
  std::string_view name;  ///< of the file, without its ending
  std::string_view bytes;
};

/// All; CMake writes them into a source file.
std::span<const ShippedPipeline> shipped_pipelines();

}  // namespace dlscale::trainer::dali
