// SPDX-License-Identifier: Apache-2.0
// Copy in, sum, scale and copy out.
#include "trainer/sync/horovod/reduction.hpp"

namespace dlscale::trainer::horovod {

void Reduction::run(const Response& response, const std::vector<Span>& tensors) {
  const std::vector<std::string>& names = response.names;
  const double factor = 1.0 / communicator_.size();
  if (tensors.size() == 1) {
    sum(names, tensors.front());
    fusion_->scale(tensors.front(), factor);
    return;
  }
  begin(names, "MEMCPY_IN_FUSION_BUFFER");
  const Span fused = fusion_->take_in(tensors, response.count, response.type);
  end(names);
  sum(names, fused);
  begin(names, "MEMCPY_OUT_FUSION_BUFFER");
  fusion_->hand_out(fused, tensors, factor);
  end(names);
}

void Reduction::sum(const std::vector<std::string>& names, Span data) {
  begin(names, communicator_.all_reduce_name() == "nccl" ? "NCCL_ALLREDUCE" : "MPI_ALLREDUCE");
  if (hierarchical_ != nullptr) {
    hierarchical_->run(data);
  } else {
    communicator_.all_reduce(data, ReduceOp::sum);
  }
  end(names);
}

void Reduction::begin(const std::vector<std::string>& names, const char* activity) {
  if (timeline_ != nullptr) timeline_->begin_activity(names, activity);
}

void Reduction::end(const std::vector<std::string>& names) {
  if (timeline_ != nullptr) timeline_->end_activity(names);
}

}  // namespace dlscale::trainer::horovod
