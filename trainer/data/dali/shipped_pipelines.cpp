// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/shipped_pipelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace dlscale::trainer::dali {

std::string_view shipped_pipeline(const PipelineKind& kind) {
  const std::string name =
      fmt::format("{}-{}-{}-{}", kind.on_gpu ? "gpu" : "cpu", kind.normalised ? "fp32" : "uint8",
                  kind.layout == images::Layout::planes ? "planes" : "channels_last",
                  kind.resample == images::Resample::bilinear ? "bilinear" : "antialiased");
  const auto all = shipped_pipelines();
  const auto found = std::ranges::find(all, name, &ShippedPipeline::name);
  if (found == all.end()) throw std::logic_error("no pipeline is called " + name);
  return found->bytes;
}

}  // namespace dlscale::trainer::dali
