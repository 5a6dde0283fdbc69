// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/sync/arrival_check.hpp"

#include <torch/types.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tests/trainer/sync/recorder.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::test {

std::vector<std::vector<std::int64_t>> all_reduces_of_crossed_ranks(
    trainer::Communicator& communicator) {
  const base::SystemClock clock;
  Recorder recorder(communicator);
  trainer::CollectiveQueue queue(recorder, clock);
  std::vector<at::Tensor> parameters;
  for (const std::int64_t count : {3, 5, 7}) {
    parameters.push_back(at::ones({count}, at::kDouble).set_requires_grad(true));
  }
  contract::FrameworkOptions options;
  options.first_bucket_mb = options.bucket_cap_mb = 1e-5;
  const std::vector<std::string> names{"first", "second", "third"};
  const auto sync = base::find<trainer::SyncEntry>(trainer::sync_table(), "framework", "ddp")
                        .make({parameters, names, options, queue, clock});
  std::vector<std::size_t> order{0, 1, 2};  // the backward pass reverses the order
  if (queue.rank() % 2 == 1) std::reverse(order.begin(), order.end());
  const double mean = (queue.size() + 1) / 2.0;
  std::vector<std::vector<std::int64_t>> steps;
  for (int step = 0; step < 3; ++step) {
    sync->before_forward(true);
    recorder.take();
    at::Tensor loss = at::zeros({}, at::kDouble);
    for (const std::size_t i : order) loss = loss + (parameters[i] * (queue.rank() + 1)).sum();
    sync->before_backward(loss);
    loss.backward();
    sync->after_backward();
    steps.push_back(recorder.take());
    for (at::Tensor& parameter : parameters) {
      if (!parameter.grad().eq(mean).all().item<bool>()) throw std::runtime_error("another mean");
      parameter.mutable_grad().reset();
    }
  }
  return steps;
}

}  // namespace dlscale::test
