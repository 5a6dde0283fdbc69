// SPDX-License-Identifier: Apache-2.0
// What every communicator must do.
#include "tests/trainer/comm/collective_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace dlscale::test {
namespace {

using trainer::Communicator;
using trainer::ElementType;
using trainer::ReduceOp;

/// Sums over 5 ranks of 2^20 elements stay below 2^24, so they are exact in every floating type.
/// Bytes wrap at 51, so that their sums do not overflow.
template <class T>
T value(int rank, std::int64_t j) {
  const std::int64_t number = std::int64_t{rank} * 1000003 + j;
  return static_cast<T>(sizeof(T) == 1 ? number % 51 : number);
}

template <class T>
std::vector<T> values(int rank, std::int64_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  for (std::int64_t j = 0; j < count; ++j) result[static_cast<std::size_t>(j)] = value<T>(rank, j);
  return result;
}

template <class T>
T reduced(int ranks, std::int64_t j, ReduceOp op) {
  T result = value<T>(0, j);
  for (int rank = 1; rank < ranks; ++rank) {
    const T next = value<T>(rank, j);
    if (op == ReduceOp::sum) result = static_cast<T>(result + next);
    if (op == ReduceOp::min) result = std::min(result, next);
    if (op == ReduceOp::max) result = std::max(result, next);
  }
  return result;
}

template <class T>
class Suite {
 public:
  Suite(Communicator& communicator, ElementType type, std::int64_t count)
      : communicator_(communicator), type_(type), count_(count) {}

  void run() {
    for (const auto op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) all_reduce(op);
    for (int root = 0; root < communicator_.size(); ++root) broadcast(root);
    all_gather();
  }

 private:
  void all_reduce(ReduceOp op) {
    auto data = values<T>(communicator_.rank(), count_);
    communicator_.all_reduce({data.data(), count_, type_}, op);
    for (std::int64_t j = 0; j < count_; ++j) {
      expect(data, j, reduced<T>(communicator_.size(), j, op), "all_reduce");
    }
  }

  void broadcast(int root) {
    auto data = values<T>(communicator_.rank(), count_);
    communicator_.broadcast({data.data(), count_, type_}, root);
    for (std::int64_t j = 0; j < count_; ++j) {
      expect(data, j, value<T>(root, j), "broadcast");
    }
  }

  void all_gather() {
    auto in = values<T>(communicator_.rank(), count_);
    std::vector<T> out(in.size() * static_cast<std::size_t>(communicator_.size()));
    communicator_.all_gather({in.data(), count_, type_},
                             {out.data(), count_ * communicator_.size(), type_});
    for (std::int64_t j = 0; j < count_ * communicator_.size(); ++j) {
      expect(out, j, value<T>(static_cast<int>(j / count_), j % count_), "all_gather");
    }
  }

  void expect(const std::vector<T>& data, std::int64_t j, T wanted, const char* what) const {
    const T found = data[static_cast<std::size_t>(j)];
    if (found == wanted) return;
    throw std::runtime_error(
        fmt::format("{} of {} elements of type {} on rank {}: element {} is {}, not {}", what,
                    count_, static_cast<int>(type_), communicator_.rank(), j, +found, +wanted));
  }

  Communicator& communicator_;
  ElementType type_;
  std::int64_t count_;
};

}  // namespace

void check_collectives(Communicator& communicator, const std::vector<std::int64_t>& counts) {
  for (const std::int64_t count : counts) {
    Suite<std::uint8_t>(communicator, ElementType::uint8, count).run();
    Suite<std::int32_t>(communicator, ElementType::int32, count).run();
    Suite<std::int64_t>(communicator, ElementType::int64, count).run();
    Suite<float>(communicator, ElementType::float32, count).run();
    Suite<double>(communicator, ElementType::float64, count).run();
    communicator.barrier();
  }
}

}  // namespace dlscale::test
