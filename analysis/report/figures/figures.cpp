// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/figures.hpp"

#include "base/error.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

constexpr FigureKind kKinds[] = {
    {"speedup", "speed-up over GPUs with the ideal line", &speedup_figure},
    {"efficiency", "parallel efficiency over GPUs", &efficiency_figure},
    {"throughput", "samples per second over GPUs", &throughput_figure},
    {"throughput-per-gpu", "samples per second of each GPU", &throughput_per_gpu_figure},
    {"epoch-time", "training and validation time of an epoch over GPUs", &epoch_time_figure},
    {"breakdown", "stacked parts of the step time", &breakdown_figure},
    {"overlap", "share of communication hidden by computation", &overlap_figure},
    {"load-share", "share of the step time in which ranks wait for data", &load_share_figure},
    {"transfer", "data sent by each GPU in an epoch", &transfer_figure},
    {"accuracy-vs-batch", "final test accuracy over the global batch", &accuracy_vs_batch_figure},
    {"accuracy-vs-epoch", "training and test accuracy over epochs", &accuracy_vs_epoch_figure},
    {"accuracy-vs-time", "test accuracy over training time", &accuracy_vs_time_figure},
    {"time-to-accuracy", "training time until an accuracy is reached, over GPUs",
     &time_to_accuracy_figure},
    {"images-to-accuracy", "training samples until an accuracy is reached, over the global batch",
     &images_to_accuracy_figure},
    {"pareto", "final test accuracy over GPU-hours, with the Pareto front", &pareto_figure},
    {"loss", "training and validation loss over epochs", &loss_figure},
    {"best-count", "fastest number of GPUs for each global batch", &best_count_figure},
    {"inference", "latency of a batch in inference, over the batch size", &inference_figure},
    {"inference-throughput", "samples per second in inference, over the batch size",
     &inference_throughput_figure},
};

}  // namespace

std::span<const FigureKind> figure_kinds() {
  return kKinds;
}

const FigureKind& find_figure_kind(std::string_view name) {
  std::vector<std::string> known;
  for (const FigureKind& kind : kKinds) {
    if (kind.name == name) return kind;
    known.emplace_back(kind.name);
  }
  throw base::UsageError(base::unknown_name("figure", name, known));
}

}  // namespace dlscale::analysis
