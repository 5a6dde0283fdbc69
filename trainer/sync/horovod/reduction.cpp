// SPDX-License-Identifier: Apache-2.0
// Copy in, sum, scale and copy out.
#include "trainer/sync/horovod/reduction.hpp"

#include <cstring>

#include "trainer/sync/horovod/scale.hpp"

namespace dlscale::trainer::horovod {

void Reduction::run(const Response& response, const std::vector<Span>& tensors) {
  const std::vector<std::string>& names = response.names;
  const double factor = 1.0 / communicator_.size();
  if (tensors.size() == 1) {
    sum(names, tensors.front());
    scale(tensors.front().data, tensors.front(), factor);
    return;
  }
  const Span fused = buffer(response.type, response.count);
  begin(names, "MEMCPY_IN_FUSION_BUFFER");
  std::int64_t at = 0;
  for (const Span& tensor : tensors) {
    if (tensor.count == 0) continue;
    std::memcpy(fused.part(at, tensor.count).data, tensor.data, tensor.bytes());
    at += tensor.count;
  }
  end(names);
  sum(names, fused);
  begin(names, "MEMCPY_OUT_FUSION_BUFFER");
  at = 0;
  for (const Span& tensor : tensors) {
    scale(fused.part(at, tensor.count).data, tensor, factor);
    at += tensor.count;
  }
  end(names);
}

void Reduction::sum(const std::vector<std::string>& names, Span data) {
  begin(names, "MPI_ALLREDUCE");
  if (hierarchical_ != nullptr) {
    hierarchical_->run(data);
  } else {
    communicator_.all_reduce(data, ReduceOp::sum);
  }
  end(names);
}

/// Memory for `count` elements, used again by the next reduction.
Span Reduction::buffer(ElementType type, std::int64_t count) {
  const auto bytes = static_cast<std::size_t>(count) * bytes_of(type);
  if (bytes > buffer_bytes_) {
    buffer_.reset();
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    buffer_bytes_ = bytes;
  }
  return {buffer_.get(), count, type};
}

void Reduction::begin(const std::vector<std::string>& names, const char* activity) {
  if (timeline_ != nullptr) timeline_->begin_activity(names, activity);
}

void Reduction::end(const std::vector<std::string>& names) {
  if (timeline_ != nullptr) timeline_->end_activity(names);
}

}  // namespace dlscale::trainer::horovod
