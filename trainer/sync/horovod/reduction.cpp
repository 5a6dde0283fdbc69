// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/horovod/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/algorithms/hierarchical.hpp"
#include "trainer/comm/reduce_elements.hpp"
#include "trainer/numbers/half_types.hpp"

namespace dlscale::trainer::horovod {

// The following functions multiply elements, with a separate loop for each floating-point type.

namespace {

template <class T>
void scale_as(const void* from, const Span& to, double factor) {
  using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto by = static_cast<Computed>(factor);
  const auto* source = static_cast<const T*>(from);
  auto* target = static_cast<T*>(to.data);
  for (std::int64_t i = 0; i < to.count; ++i) {
    target[i] = static_cast<T>(static_cast<Computed>(source[i]) * by);
  }
}

}  // namespace

bool is_floating(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16 ||
         type == ElementType::float32 || type == ElementType::float64;
}

void scale(const void* from, const Span& to, double factor) {
  switch (to.type) {
    case ElementType::float16:
      return scale_as<Float16>(from, to, factor);
    case ElementType::bfloat16:
      return scale_as<BFloat16>(from, to, factor);
    case ElementType::float32:
      return scale_as<float>(from, to, factor);
    case ElementType::float64:
      return scale_as<double>(from, to, factor);
    default:
      throw base::RunError("horovod: averaging supports only floating-point types",
                           contract::kExitCommunication);
  }
}

// The following functions detect the nodes and count the ranks on each node.

NodeOfRank find_nodes(Communicator& communicator) {
  int mine = node_of(communicator);
  NodeOfRank all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather({&mine, 1, ElementType::int32},
                          {all.data(), communicator.size(), ElementType::int32});
  return all;
}

int ranks_beside(const NodeOfRank& node_of_rank, int rank) {
  const int node = node_of_rank[static_cast<std::size_t>(rank)];
  return static_cast<int>(std::count(node_of_rank.begin(), node_of_rank.end(), node));
}

int local_rank(const NodeOfRank& node_of_rank, int rank) {
  const auto mine = node_of_rank.begin() + rank;
  return static_cast<int>(std::count(node_of_rank.begin(), mine, *mine));
}

bool is_homogeneous(const NodeOfRank& node_of_rank) {
  const int first = ranks_beside(node_of_rank, 0);
  for (int rank = 1; rank < static_cast<int>(node_of_rank.size()); ++rank) {
    if (ranks_beside(node_of_rank, rank) != first) return false;
  }
  return true;
}

// The following functions compute sums within nodes and across nodes.

HierarchicalSum::HierarchicalSum(Communicator& communicator, const NodeOfRank& node_of_rank)
    : is_homogeneous_(is_homogeneous(node_of_rank)),
      node_(communicator.split(node_of_rank[static_cast<std::size_t>(communicator.rank())])),
      across_(communicator.split(local_rank(node_of_rank, communicator.rank()))) {}

void HierarchicalSum::run(Span data) {
  const std::int64_t ranks = node_->size();
  const std::int64_t divisible = is_homogeneous_ ? data.count / ranks * ranks : 0;
  if (divisible > 0) sum_in_parts(data.part(0, divisible));
  if (divisible < data.count) sum_at_first_ranks(data.part(divisible, data.count - divisible));
}

void HierarchicalSum::sum_in_parts(Span data) {
  Span part{nullptr, data.count / node_->size(), data.type};
  if (part_.size() * sizeof(part_[0]) < part.bytes()) {
    part_.resize(part.bytes() / sizeof(part_[0]) + 1);
  }
  part.data = part_.data();
  node_->reduce_scatter(data, part, ReduceOp::sum);
  across_->all_reduce(part, ReduceOp::sum);
  node_->all_gather(part, data);
}

void HierarchicalSum::sum_at_first_ranks(Span data) {
  node_->reduce(data, ReduceOp::sum, 0);
  if (node_->rank() == 0) across_->all_reduce(data, ReduceOp::sum);
  node_->broadcast(data, 0);
}

// The following functions copy tensors to the buffer, sum them, scale them, and copy them back.

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
