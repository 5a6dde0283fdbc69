// SPDX-License-Identifier: Apache-2.0
// Benchmark that compares the memory of a rank in each stage of ZeRO with the published formula.
// usage: zero_memory [MODEL [RANKS ...]]
// The program trains a model (default: resnet50) on images of 3 x 32 x 32 with Adam in fp32. Ranks
// (default: 2, 3 and 4) are threads. The formula comes from Rajbhandari et al., ZeRO, 2020. It
// counts, for each parameter, 4 bytes for the value, 4 bytes for the gradient and K = 8 bytes for
// Adam's means of gradients and of squared gradients. The memory is compared with the formula at
// the step of the optimizer. The paper counts all gradients in stage 1, but at this time a rank has
// only its part of the gradients. The run has no blocks that stay whole and gathers no block ahead
// of its use. A bucket holds the largest gradient.
// The program prints a Markdown table in MiB for the rank with the most memory. Exit code 1: a part
// differs from the formula by more than 5 %.
#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/trainer/sync/tensor_bytes.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/comm/thread.hpp"
#include "trainer/models/model.hpp"
#include "trainer/optim/loss.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/sync/gradient_sync.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

constexpr int kClasses = 10, kSamples = 2, kSteps = 2;
constexpr double kMiB = 1024 * 1024;
constexpr double kAllowed = 0.05;
enum Part { kParameters, kGradients, kStates, kParts };

/// Memory of a rank, in bytes.
struct Held {
  /// Memory of each part. Gradients are measured before the optimizer step, the other parts after
  /// the last step.
  std::array<double, kParts> parts{};
  double most = 0;   ///< largest sum of the memory of all tensors at any time
  double model = 0;  ///< memory of all parameters
};

std::unique_ptr<Model> model_named(const std::string& name, const Device& device) {
  return base::find(model_table(), "model", name)
      .make({.input = {3, 32, 32}, .classes = kClasses, .device = device});
}

contract::FrameworkOptions options_of(int stage, const Model& model) {
  contract::FrameworkOptions options;
  options.zero_stage = stage;
  options.overlap_comm = "off";
  options.prefetch_elements = 0;
  options.persistence_threshold_elements = 0;
  options.reduce_bucket_elements = 0;
  for (const at::Tensor& parameter : model.parameters()) {
    options.reduce_bucket_elements = std::max(options.reduce_bucket_elements, parameter.numel());
  }
  return options;
}

std::vector<at::Tensor> joined(std::vector<at::Tensor> a, const std::vector<at::Tensor>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<at::Tensor> tensors_of(const std::vector<NamedTensor>& named) {
  std::vector<at::Tensor> tensors;
  for (const NamedTensor& each : named) tensors.push_back(each.tensor);
  return tensors;
}

double bytes_of(const std::vector<at::Tensor>& tensors) {
  return static_cast<double>(test::storage_bytes(tensors));
}

/// **Collective.** Trains on this rank and returns the memory that the rank holds.
Held train(const std::string& name, int stage, Communicator& rank) {
  const base::SystemClock clock;
  CollectiveQueue queue(rank, clock);
  const test::LiveBytes live(queue);
  const auto device = base::find(device_table(), "device", "cpu").make({});
  const auto model = model_named(name, *device);
  const auto options = options_of(stage, *model);
  Held held;
  held.model = 4.0 * static_cast<double>(parameter_count(*model));
  const auto sync = base::find(sync_table(), "framework", "deepspeed")
                        .make({.parameters = model->parameters(),
                               .parameter_names = model->parameter_names(),
                               .options = options,
                               .queue = queue,
                               .clock = clock,
                               .model = model.get()});
  const Optimized stepped = sync->optimized();
  const auto optimizer = base::find(optimizer_table(), "optimizer", "adam")
                             .make({.kind = "adam"}, {stepped.tensors, stepped.pieces});
  const std::vector<at::Tensor>& parameters = model->parameters();
  for (int step = 0; step < kSteps; ++step) {
    live.take_most();
    sync->before_forward(true);
    const at::Tensor scores = model->forward(at::ones({kSamples, 3, 32, 32}));
    sync->before_backward(scores);
    cross_entropy(scores, at::zeros({kSamples}, at::kLong), 0).backward();
    sync->after_backward();
    held.parts[kGradients] =
        bytes_of(joined(test::gradients_of(stepped.tensors), test::gradients_of(parameters)));
    optimizer->step(0.001);
    for (const at::Tensor& parameter : parameters) parameter.mutable_grad().reset();
    sync->after_step();
    held.most = static_cast<double>(live.take_most());
  }
  held.parts[kParameters] = bytes_of(joined(stepped.tensors, parameters));
  held.parts[kStates] = bytes_of(tensors_of(optimizer->state()));
  return held;
}

/// Trains on all ranks. Returns for each part the memory of the rank that holds most of this part.
Held train_all(const std::string& name, int stage, int ranks) {
  Held held;
  std::mutex mutex;
  run_as_threads(ranks, [&](Communicator& rank) {
    const Held mine = train(name, stage, rank);
    const std::lock_guard lock(mutex);
    held.model = mine.model;
    held.most = std::max(held.most, mine.most);
    for (std::size_t i = 0; i < kParts; ++i) held.parts[i] = std::max(held.parts[i], mine.parts[i]);
  });
  return held;
}

/// Returns the bytes of each part according to the formula for a model with `model` bytes of
/// parameters.
std::array<double, kParts> formula(int stage, int ranks, double model) {
  constexpr double kStatesOfParameter = 8.0 / 4.0;
  const double divided = stage >= 1 ? model / ranks : model;
  return {stage == 3 ? divided : model, divided, kStatesOfParameter * divided};
}

/// Prints a row. Returns whether each part differs from the formula by at most 5 %.
bool print_row(int stage, int ranks, const Held& held) {
  const auto expected = formula(stage, ranks, held.model);
  fmt::print("| {} | {} |", stage, ranks);
  double furthest = 0, all = 0, all_expected = 0;
  for (std::size_t i = 0; i < kParts; ++i) {
    fmt::print(" {:.1f} | {:.1f} |", held.parts[i] / kMiB, expected[i] / kMiB);
    const double off = held.parts[i] / expected[i] - 1;
    if (std::abs(off) > std::abs(furthest)) furthest = off;
    all += held.parts[i];
    all_expected += expected[i];
  }
  fmt::print(" {:.1f} | {:.1f} | {:+.2f} % | {:.1f} |\n", all / kMiB, all_expected / kMiB,
             furthest * 100, held.most / kMiB);
  std::fflush(stdout);
  return std::abs(furthest) <= kAllowed;
}

}  // namespace

int main(int count, char** arguments) {
  at::set_num_threads(1);
  const std::string model = count > 1 ? arguments[1] : "resnet50";
  std::vector<int> all_ranks;
  for (int i = 2; i < count; ++i) all_ranks.push_back(std::max(1, std::atoi(arguments[i])));
  if (all_ranks.empty()) all_ranks = {2, 3, 4};
  fmt::print(
      "| stage | ranks | parameters | formula | gradients | formula | Adam's states | formula | "
      "sum "
      "| formula | furthest part | most in a step |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  bool is_right = true;
  for (const int ranks : all_ranks) {
    for (const int stage : {0, 1, 2, 3}) {
      is_right = print_row(stage, ranks, train_all(model, stage, ranks)) && is_right;
    }
  }
  return is_right ? 0 : 1;
}
