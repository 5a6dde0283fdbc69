// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/spread_state.hpp"

#include <torch/types.h>

#include <map>
#include <sstream>
#include <string>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

/// Name, type and shape of a tensor on another rank. Rank 0 needs these data to receive or send the
/// tensor.
struct Outline {
  std::string name;
  at::ScalarType type;
  std::vector<std::int64_t> shape;
};

/// Returns two lines of text per tensor: the name, then the type and the shape.
std::string outlines_of(const OwnState& own) {
  std::ostringstream text;
  for (const NamedTensor& part : own.tensors) {
    text << part.name << '\n' << static_cast<int>(part.tensor.scalar_type());
    for (const std::int64_t size : part.tensor.sizes()) text << ' ' << size;
    text << '\n';
  }
  return text.str();
}

std::vector<Outline> read_outlines(const std::string& text) {
  std::vector<Outline> outlines;
  std::istringstream lines(text);
  std::string name;
  std::string rest;
  while (std::getline(lines, name) && std::getline(lines, rest)) {
    std::istringstream numbers(rest);
    int type = 0;
    numbers >> type;
    Outline& outline = outlines.emplace_back(Outline{name, static_cast<at::ScalarType>(type), {}});
    for (std::int64_t size = 0; numbers >> size;) outline.shape.push_back(size);
  }
  return outlines;
}

Span bytes_of(std::string& text) {
  return {text.data(), static_cast<std::int64_t>(text.size()), ElementType::uint8};
}

/// **Collective.** Returns on rank 0 one list of outlines for each rank. `mine` is the text that
/// outlines_of() returned on this rank. An empty text results in an empty list.
std::vector<std::vector<Outline>> collect_outlines(std::string mine, CollectiveQueue& queue) {
  std::int64_t length = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(queue.size()));
  queue
      .all_gather({&length, 1, ElementType::int64},
                  {lengths.data(), queue.size(), ElementType::int64})
      ->wait();
  if (queue.rank() != 0) {
    queue.exchange(bytes_of(mine), 0, {}, kNobody)->wait();
    return {};
  }
  std::vector<std::vector<Outline>> all{read_outlines(mine)};
  for (int rank = 1; rank < queue.size(); ++rank) {
    std::string text(static_cast<std::size_t>(lengths[static_cast<std::size_t>(rank)]), ' ');
    queue.exchange({}, kNobody, bytes_of(text), rank)->wait();
    all.push_back(read_outlines(text));
  }
  return all;
}

/// Sends the tensor from host memory, because rank 0 receives tensors in host memory. A tensor on a
/// GPU is copied to host memory first.
void send(const at::Tensor& tensor, int to, CollectiveQueue& queue) {
  const at::Tensor dense = tensor.detach().contiguous().cpu();
  queue.exchange(span_of(dense), to, {}, kNobody)->wait();
}

void receive(const at::Tensor& into, int from, CollectiveQueue& queue) {
  queue.exchange({}, kNobody, span_of(into), from)->wait();
}

}  // namespace

std::vector<NamedTensor> gather_state(const OwnState& own, CollectiveQueue& queue) {
  const auto outlines = collect_outlines(own.speaks ? outlines_of(own) : "", queue);
  if (queue.rank() != 0) {
    for (const NamedTensor& part : own.tensors) {
      if (own.speaks) send(part.tensor, 0, queue);
    }
    return {};
  }
  std::vector<NamedTensor> all = own.tensors;
  for (int rank = 1; rank < queue.size(); ++rank) {
    for (const Outline& outline : outlines[static_cast<std::size_t>(rank)]) {
      const at::Tensor tensor = at::empty(outline.shape, outline.type);
      receive(tensor, rank, queue);
      all.push_back({outline.name, tensor});
    }
  }
  return all;
}

void spread_state(const std::vector<NamedTensor>& state, const OwnState& own,
                  CollectiveQueue& queue) {
  const at::NoGradGuard no_gradients;
  const auto wanted = collect_outlines(outlines_of(own), queue);
  if (queue.rank() != 0) {
    for (const NamedTensor& part : own.tensors) {
      const at::Tensor dense = at::empty(part.tensor.sizes(), part.tensor.scalar_type());
      receive(dense, 0, queue);
      part.tensor.detach().copy_(dense);
    }
    return;
  }
  // The tensors of rank 0 share memory with `state`, so they already have the values.
  std::map<std::string, at::Tensor> by_name;
  for (const NamedTensor& part : state) by_name[part.name] = part.tensor;
  for (int rank = 1; rank < queue.size(); ++rank) {
    for (const Outline& outline : wanted[static_cast<std::size_t>(rank)]) {
      send(by_name.at(outline.name), rank, queue);
    }
  }
}

}  // namespace dlscale::trainer
