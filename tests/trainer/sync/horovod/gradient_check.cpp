// SPDX-License-Identifier: Apache-2.0
// Checks of Horovod's gradients in cases that ordinary training does not cover.
#include "tests/trainer/sync/horovod/gradient_check.hpp"

#include <torch/types.h>

#include "base/error.hpp"
#include "tests/support/require.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::test {
namespace {

/// A rank with its queue, two parameters of three elements and a Horovod for the parameters.
struct Rank {
  explicit Rank(trainer::Communicator& communicator, const std::string& compression = "none",
                at::ScalarType type = at::kDouble)
      : number(communicator.rank()), size(communicator.size()), queue(communicator, clock) {
    for (int i = 0; i < 2; ++i) {
      parameters.push_back(at::ones({3}, type).set_requires_grad(true));
    }
    options.compression = compression;
    const auto& entry =
        base::find<trainer::SyncEntry>(trainer::sync_table(), "framework", "horovod");
    sync = entry.make({parameters, names, options, queue, clock});
  }
  /// Adds `factor` to the gradient of parameter i.
  void backward(std::size_t i, double factor) { (parameters[i] * factor).sum().backward(); }
  bool has_gradient(std::size_t i, double value, double relative_error = 1e-12) const {
    const at::Tensor& gradient = parameters[i].grad();
    return gradient.scalar_type() == parameters[i].scalar_type() &&
           at::allclose(gradient, at::full_like(gradient, value), relative_error, 0);
  }

  const base::SystemClock clock;
  int number, size;
  trainer::CollectiveQueue queue;
  std::vector<at::Tensor> parameters;
  const std::vector<std::string> names{"first", "second"};
  contract::FrameworkOptions options;
  std::unique_ptr<trainer::GradientSync> sync;
};

}  // namespace

void check_accumulation(trainer::Communicator& communicator) {
  Rank rank(communicator);
  for (int step = 0; step < 2; ++step) {
    for (const bool exchanges : {false, true}) {
      rank.sync->before_forward(exchanges);
      rank.backward(0, 1 + rank.number);
      rank.backward(1, 10);
      const double own = (1.0 + rank.number) * (exchanges ? 2 : 1);
      require(exchanges || rank.has_gradient(0, own), "exchanged with the first micro-batch");
    }
    rank.sync->after_backward();
    require(rank.has_gradient(0, rank.size + 1), "mean of sums");
    require(rank.has_gradient(1, 20), "the same on all ranks");
    for (at::Tensor& parameter : rank.parameters) parameter.mutable_grad().reset();
  }
}

void check_unused_on_others(trainer::Communicator& communicator) {
  Rank rank(communicator);
  rank.sync->before_forward(true);
  rank.backward(0, 1);
  if (rank.number == rank.size - 1) rank.backward(1, rank.size * 2);
  rank.sync->after_backward();
  require(rank.has_gradient(0, 1), "used by all");
  require(rank.has_gradient(1, 2), "used by one");
}

void check_compression(trainer::Communicator& communicator, const std::string& compression,
                       double relative_error) {
  Rank rank(communicator, compression, at::kFloat);
  rank.sync->before_forward(true);
  rank.backward(0, 1.0 / 3 + rank.number);
  rank.backward(1, 0.5);
  rank.sync->after_backward();
  const double mean = 1.0 / 3 + (rank.size - 1) / 2.0;
  require(rank.has_gradient(0, mean, relative_error), "within the type's error");
  require(!rank.has_gradient(0, mean, 1e-7), "compressed");
  require(rank.has_gradient(1, 0.5, relative_error), "a number that the type has");
}

std::string second_backward(trainer::Communicator& communicator) {
  Rank rank(communicator);
  rank.sync->before_forward(true);
  rank.backward(0, 1);
  try {
    rank.backward(0, 1);
  } catch (const base::RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace dlscale::test
