// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/figures.hpp"

#include "base/error.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kNeedsTimes = "a completed run with timed steps";
constexpr const char* kNeedsCurve = "a curve with a baseline";
constexpr const char* kNeedsTimedAccuracy =
    "a completed classification run that recorded its evaluations and the times of its epochs";
constexpr const char* kNeedsInference = "a completed run with mode = \"inference\"";

constexpr FigureKind kKinds[] = {
    {"speedup", "speed-up over GPUs with the ideal line", &speedup_figure, kNeedsCurve},
    {"efficiency", "parallel efficiency over GPUs", &efficiency_figure, kNeedsCurve},
    {"throughput", "samples per second over GPUs", &throughput_figure, kNeedsTimes},
    {"throughput-per-gpu", "samples per second of each GPU", &throughput_per_gpu_figure,
     kNeedsTimes},
    {"epoch-time", "training and validation time of an epoch over GPUs", &epoch_time_figure,
     "a completed run with timed steps that recorded the times of its epochs"},
    {"breakdown", "stacked parts of the step time", &breakdown_figure,
     "a completed run that recorded the number and the parts of its steps"},
    {"overlap", "share of communication hidden by computation", &overlap_figure,
     "a completed run on several GPUs that recorded the communication of its steps"},
    {"load-share", "share of the step time in which ranks wait for data", &load_share_figure,
     "a completed run that recorded the loading time of its steps"},
    {"transfer", "data sent by each GPU in an epoch", &transfer_figure,
     "a completed run that counted the sent bytes and its steps per epoch"},
    {"accuracy-vs-batch", "final test accuracy over the global batch", &accuracy_vs_batch_figure,
     "a completed classification run with a known global batch that was evaluated"},
    {"accuracy-vs-epoch", "training and test accuracy over epochs", &accuracy_vs_epoch_figure,
     "a completed classification run that recorded its accuracy by epoch"},
    {"accuracy-vs-time", "test accuracy over training time", &accuracy_vs_time_figure,
     kNeedsTimedAccuracy},
    {"time-to-accuracy", "training time until an accuracy is reached, over GPUs",
     &time_to_accuracy_figure, kNeedsTimedAccuracy},
    {"images-to-accuracy", "training samples until an accuracy is reached, over the global batch",
     &images_to_accuracy_figure,
     "a completed classification run that recorded its evaluations, its steps per epoch and its "
     "global batch"},
    {"pareto", "final test accuracy over GPU-hours, with the Pareto front", &pareto_figure,
     kNeedsTimedAccuracy},
    {"loss", "training and validation loss over epochs", &loss_figure,
     "a completed run that recorded its loss by epoch"},
    {"best-count", "fastest number of GPUs for each global batch", &best_count_figure,
     "a curve of comparable runs whose global batch is fixed (strong scaling)"},
    {"inference", "latency of a batch in inference, over the batch size", &inference_figure,
     kNeedsInference},
    {"inference-throughput", "samples per second in inference, over the batch size",
     &inference_throughput_figure, kNeedsInference},
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
