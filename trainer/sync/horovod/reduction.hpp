// SPDX-License-Identifier: Apache-2.0
// Doing what a response says to the tensors of this rank.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/fusion_buffer.hpp"
#include "trainer/sync/horovod/hierarchical_sum.hpp"
#include "trainer/sync/horovod/response.hpp"
#include "trainer/sync/horovod/timeline.hpp"

namespace dlscale::trainer::horovod {

/// One tensor is summed where it lies. Several are copied into a buffer, summed as one and copied
/// back. The sum is then multiplied by 1/N: after it, where PyTorch's DDP divides before.
class Reduction {
 public:
  /// `hierarchical` and `timeline` may be null. What it is given must outlive it.
  Reduction(Communicator& communicator, HierarchicalSum* hierarchical, Timeline* timeline,
            std::unique_ptr<FusionBuffer> fusion)
      : communicator_(communicator),
        hierarchical_(hierarchical),
        timeline_(timeline),
        fusion_(std::move(fusion)) {}

  /// **Collective.** `tensors` are those `response` names, in its order.
  void run(const Response& response, const std::vector<Span>& tensors);

 private:
  void sum(const std::vector<std::string>& names, Span data);
  void begin(const std::vector<std::string>& names, const char* activity);
  void end(const std::vector<std::string>& names);

  Communicator& communicator_;
  HierarchicalSum* hierarchical_;
  Timeline* timeline_;
  std::unique_ptr<FusionBuffer> fusion_;
};

}  // namespace dlscale::trainer::horovod
