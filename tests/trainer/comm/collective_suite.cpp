// SPDX-License-Identifier: Apache-2.0
// Checks of the behaviour that every communicator must have.
#include "tests/trainer/comm/collective_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "trainer/comm/reduce_elements.hpp"
#include "trainer/numbers/half_types.hpp"

namespace dlscale::test {
namespace {

using trainer::Communicator;
using trainer::ElementType;
using trainer::ReduceOp;
using trainer::Span;

constexpr ReduceOp kOps[] = {ReduceOp::sum, ReduceOp::min, ReduceOp::max};

template <class T>
using Written = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

/// Returns element j of a rank before a call. Sums over 5 ranks with 2^20 elements stay below 2^24,
/// and below 256 for the types of 1 and 2 bytes, so that sums are exact in every type.
template <class T>
double value(int rank, std::int64_t j) {
  const std::int64_t number = std::int64_t{rank} * 1000003 + j;
  return static_cast<double>(sizeof(T) <= 2 ? number % 51 : number);
}

template <class T>
std::vector<T> values(int rank, std::int64_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  for (std::int64_t j = 0; j < count; ++j) {
    result[static_cast<std::size_t>(j)] =
        static_cast<T>(static_cast<Written<T>>(value<T>(rank, j)));
  }
  return result;
}

template <class T>
double reduced(int ranks, std::int64_t j, ReduceOp op) {
  double result = value<T>(0, j);
  for (int rank = 1; rank < ranks; ++rank) {
    const double next = value<T>(rank, j);
    if (op == ReduceOp::sum) result += next;
    if (op == ReduceOp::min) result = std::min(result, next);
    if (op == ReduceOp::max) result = std::max(result, next);
  }
  return result;
}

template <class T>
class Suite {
 public:
  Suite(Communicator& ranks, ElementType type, std::int64_t count)
      : ranks_(ranks), size_(ranks.size()), rank_(ranks.rank()), type_(type), count_(count) {}

  void run() {
    for (const ReduceOp op : kOps) {
      all_reduce(op);
      reduce_scatter(op);
      for (int root = 0; root < size_; ++root) reduce(op, root);
    }
    for (int root = 0; root < size_; ++root) broadcast(root);
    all_gather(false);
    all_gather(true);
    exchange();
  }

  void all_reduce(ReduceOp op) {
    auto data = values<T>(rank_, count_);
    ranks_.all_reduce(span(data), op);
    expect(data, "all_reduce", [&](std::int64_t j) { return reduced<T>(size_, j, op); });
  }

 private:
  void reduce_scatter(ReduceOp op) {
    auto in = values<T>(rank_, count_ * size_);
    std::vector<T> out(static_cast<std::size_t>(count_));
    ranks_.reduce_scatter(span(in), span(out), op);
    expect(out, "reduce_scatter",
           [&](std::int64_t j) { return reduced<T>(size_, rank_ * count_ + j, op); });
    expect_own(in, "what reduce_scatter is given");
  }

  void reduce(ReduceOp op, int root) {
    auto data = values<T>(rank_, count_);
    ranks_.reduce(span(data), op, root);
    if (rank_ != root) return expect_own(data, "what reduce is given");
    expect(data, "reduce", [&](std::int64_t j) { return reduced<T>(size_, j, op); });
  }

  void broadcast(int root) {
    auto data = values<T>(rank_, count_);
    ranks_.broadcast(span(data), root);
    expect(data, "broadcast", [&](std::int64_t j) { return value<T>(root, j); });
  }

  void all_gather(bool in_place) {
    auto in = values<T>(rank_, count_);
    std::vector<T> out(static_cast<std::size_t>(count_ * size_));
    const Span mine = span(out).part(count_ * rank_, count_);
    if (in_place) std::copy(in.begin(), in.end(), static_cast<T*>(mine.data));
    ranks_.all_gather(in_place ? mine : span(in), span(out));
    expect(out, "all_gather",
           [&](std::int64_t j) { return value<T>(static_cast<int>(j / count_), j % count_); });
  }

  /// Checks sending and receiving in one call around the ring, and then sending and receiving in
  /// separate calls.
  void exchange() {
    const int next = (rank_ + 1) % size_, previous = (rank_ + size_ - 1) % size_;
    auto mine = values<T>(rank_, count_);
    std::vector<T> theirs(mine.size());
    const auto of_previous = [&](std::int64_t j) { return value<T>(previous, j); };
    ranks_.exchange(span(mine), next, span(theirs), previous);
    expect(theirs, "exchange", of_previous);
    if (size_ == 1) return;
    std::fill(theirs.begin(), theirs.end(), T{});
    if (rank_ == 0) ranks_.send(span(mine), next);
    ranks_.receive(span(theirs), previous);
    if (rank_ != 0) ranks_.send(span(mine), next);
    expect(theirs, "receive", of_previous);
  }

  Span span(std::vector<T>& data) const {
    return {data.data(), static_cast<std::int64_t>(data.size()), type_};
  }

  void expect_own(const std::vector<T>& data, const char* what) const {
    expect(data, what, [&](std::int64_t j) { return value<T>(rank_, j); });
  }

  template <class Wanted>
  void expect(const std::vector<T>& data, const char* what, const Wanted& wanted) const {
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(data.size()); ++j) {
      const auto found =
          static_cast<double>(static_cast<Written<T>>(data[static_cast<std::size_t>(j)]));
      if (found == wanted(j)) continue;
      throw std::runtime_error(
          fmt::format("{} of {} elements of type {} on rank {} of {}: element {} is {}, not {}",
                      what, count_, static_cast<int>(type_), rank_, size_, j, found, wanted(j)));
    }
  }

  Communicator& ranks_;
  int size_;
  int rank_;
  ElementType type_;
  std::int64_t count_;
};

template <class Body>
void for_types(Communicator& ranks, std::int64_t count, const Body& body) {
  body(Suite<std::uint8_t>(ranks, ElementType::uint8, count));
  body(Suite<std::int32_t>(ranks, ElementType::int32, count));
  body(Suite<std::int64_t>(ranks, ElementType::int64, count));
  body(Suite<trainer::Float16>(ranks, ElementType::float16, count));
  body(Suite<trainer::BFloat16>(ranks, ElementType::bfloat16, count));
  body(Suite<float>(ranks, ElementType::float32, count));
  body(Suite<double>(ranks, ElementType::float64, count));
}

/// Thread that runs the suite on one part. join() rethrows the exception of the thread.
class PartThread {
 public:
  explicit PartThread(std::unique_ptr<Communicator> part)
      : part_(std::move(part)), thread_([this] {
          try {
            for (int round = 0; round < 8; ++round) check_collectives(*part_, {3});
          } catch (...) {
            error_ = std::current_exception();
          }
        }) {}
  void join() {
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::unique_ptr<Communicator> part_;
  std::exception_ptr error_;
  std::thread thread_;
};

void expect_equal(double found, double wanted, const char* what) {
  if (found == wanted) return;
  throw std::runtime_error(fmt::format("{}: {}, not {}", what, found, wanted));
}

}  // namespace

void check_collectives(Communicator& communicator, const std::vector<std::int64_t>& counts) {
  for (const std::int64_t count : counts) {
    for_types(communicator, count, [](auto&& suite) { suite.run(); });
    communicator.barrier();
  }
}

void check_collectives_of(Communicator& communicator, ElementType type, std::int64_t count) {
  if (type == ElementType::float32) return Suite<float>(communicator, type, count).run();
  if (type == ElementType::bfloat16) {
    return Suite<trainer::BFloat16>(communicator, type, count).run();
  }
  throw std::logic_error("no suite of this type alone");
}

void check_all_reduces(Communicator& communicator, const std::vector<std::int64_t>& counts) {
  for (const std::int64_t count : counts) {
    for_types(communicator, count, [](auto&& suite) {
      for (const ReduceOp op : kOps) suite.all_reduce(op);
    });
  }
}

void check_splits(Communicator& communicator) {
  const int rank = communicator.rank();
  const auto parity = communicator.split(rank % 2);
  expect_equal(parity->rank(), rank / 2, "rank among those of one parity");
  expect_equal(parity->size(), (communicator.size() + 1 - rank % 2) / 2, "ranks of one parity");
  check_collectives(*parity, {0, 1, 17});
  const auto alone = communicator.split(rank);
  expect_equal(alone->size(), 1, "ranks of a color of one");
  check_collectives(*alone, {5});
  const auto pairs = parity->split(parity->rank() / 2);
  check_collectives(*pairs, {5});

  PartThread whole(communicator.split(3));
  PartThread half(communicator.split(rank * 2 / communicator.size()));
  for (int round = 0; round < 8; ++round) check_collectives(communicator, {3});
  whole.join();
  half.join();
}

void check_counters(Communicator& communicator) {
  const int size = communicator.size();
  std::vector<float> whole(static_cast<std::size_t>(10 * size)), part(10);
  const Span all{whole.data(), 10 * size, ElementType::float32};
  const Span one{part.data(), 10, ElementType::float32};
  const int next = (communicator.rank() + 1) % size;
  const int previous = (communicator.rank() + size - 1) % size;
  auto before = communicator.stats();
  const auto expect_more = [&](const char* what, Communicator& called, std::int64_t bytes) {
    const auto now = communicator.stats();
    expect_equal(static_cast<double>(now.collectives - before.collectives), 1, what);
    expect_equal(static_cast<double>(now.bytes - before.bytes), static_cast<double>(bytes), what);
    if (now.busy_s < before.busy_s || now.wait_s < before.wait_s ||
        called.last_wait_s() > now.busy_s) {
      throw std::runtime_error(fmt::format("{}: times run backwards", what));
    }
    before = now;
  };
  communicator.all_reduce(one, ReduceOp::sum);
  expect_more("all_reduce", communicator, 40);
  communicator.reduce_scatter(all, one, ReduceOp::sum);
  expect_more("reduce_scatter", communicator, 40 * size);
  communicator.all_gather(one, all);
  expect_more("all_gather", communicator, 40);
  communicator.broadcast(one, 0);
  expect_more("broadcast", communicator, 40);
  communicator.reduce(one, ReduceOp::sum, 0);
  expect_more("reduce", communicator, 40);
  communicator.barrier();
  expect_more("barrier", communicator, 0);
  communicator.exchange(one, next, all.part(0, 10), previous);
  expect_more("exchange", communicator, 40);
  const auto split = communicator.split(0);
  split->all_reduce(one, ReduceOp::max);
  expect_more("all_reduce of a part", *split, 40);
  if (size == 1) return;
  if (communicator.rank() == 0) communicator.send(one, 1);
  if (communicator.rank() == 1) communicator.receive(one, 0);
  if (communicator.rank() == 0) expect_more("send", communicator, 40);
  if (communicator.rank() == 1) expect_more("receive", communicator, 0);
}

}  // namespace dlscale::test
