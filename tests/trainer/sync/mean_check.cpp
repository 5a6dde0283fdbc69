// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/sync/mean_check.hpp"

#include <torch/types.h>

#include <vector>

#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::test {

double mean_gradient(const std::string& framework, double gradient,
                     trainer::Communicator& communicator) {
  const base::SystemClock clock;
  trainer::CollectiveQueue queue(communicator, clock);
  const at::Tensor parameter = at::ones({1}, at::kDouble).set_requires_grad(true);
  const std::vector<at::Tensor> parameters{parameter};
  const std::vector<std::string> names{"only"};
  const contract::FrameworkOptions options;
  const auto sync = base::find<trainer::SyncEntry>(trainer::sync_table(), "framework", framework)
                        .make({parameters, names, options, queue, clock});
  sync->before_forward(true);
  const at::Tensor output = parameter * gradient;
  sync->before_backward(output);
  output.sum().backward();
  sync->after_backward();
  return parameter.grad()[0].item<double>();
}

}  // namespace dlscale::test
