// SPDX-License-Identifier: Apache-2.0
// How blocks are cut into stages, and in which order a stage works on its micro-batches.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dlscale::trainer {

// A row of blocks cut into stages.

/// Cuts `costs` (each at least 0) into `stages` stretches, none empty, so that the dearest is as
/// cheap as can be; among such cuts the one whose later stages begin earliest. Returns stages + 1
/// places: stage s is [places[s], places[s + 1]). There must be as many blocks as stages.
std::vector<std::size_t> cut_into_stages(const std::vector<double>& costs, std::size_t stages);

// In which order a stage of a pipeline works on its micro-batches.
struct PipelineAction {
  enum Kind { forward, backward } kind;
  int micro_batch;
  bool operator==(const PipelineAction&) const = default;
};

/// "gpipe" (Huang et al., 2019): all forward passes, then all backward passes; every stage stashes
/// what all micro-batches need for backward.
/// "1f1b" (Narayanan et al., PipeDream-Flush, 2021): stage s of S begins with min(S - 1 - s, M)
/// forward passes, then one forward and one backward in turn, then the backward passes that are
/// left; it stashes at most min(S - s, M) micro-batches.
/// Of both the ideal bubble is (S - 1) / (M + S - 1) of the step. Either order of messages between
/// neighbours is the same on both sides.
std::vector<PipelineAction> pipeline_schedule(std::string_view name, int stage, int stages,
                                              int micro_batches);

}  // namespace dlscale::trainer
