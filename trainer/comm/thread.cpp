// SPDX-License-Identifier: Apache-2.0
// Collectives between threads of one process: ranks meet, read each other's memory, meet again.
#include "trainer/comm/thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/communicator_table.hpp"

namespace dlscale::trainer {
namespace {

enum class Kind { all_reduce, broadcast, all_gather, barrier };

/// What one rank brings to a meeting. `option` is the op or the root.
struct Call {
  Kind kind = Kind::barrier;
  Span data;
  int option = 0;
  bool agrees_with(const Call& other) const {
    return kind == other.kind && data.count == other.data.count && data.type == other.data.type &&
           option == other.option;
  }
};

template <class T>
void fold(T* into, const T* from, std::int64_t count, ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      for (std::int64_t i = 0; i < count; ++i) into[i] = static_cast<T>(into[i] + from[i]);
      return;
    case ReduceOp::min:
      for (std::int64_t i = 0; i < count; ++i) into[i] = std::min(into[i], from[i]);
      return;
    case ReduceOp::max:
      for (std::int64_t i = 0; i < count; ++i) into[i] = std::max(into[i], from[i]);
      return;
  }
}

/// into[first, last) = op(into, from), element-wise.
template <class T>
void fold_range(const Span& into, const Span& from, std::int64_t first, std::int64_t last,
                ReduceOp op) {
  fold(static_cast<T*>(into.data) + first, static_cast<const T*>(from.data) + first, last - first,
       op);
}

auto* fold_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return &fold_range<std::uint8_t>;
    case ElementType::int32:
      return &fold_range<std::int32_t>;
    case ElementType::int64:
      return &fold_range<std::int64_t>;
    case ElementType::float32:
      return &fold_range<float>;
    case ElementType::float64:
      break;
  }
  return &fold_range<double>;
}

void copy(const Span& from, void* to) {
  if (from.count > 0 && from.data != to) std::memcpy(to, from.data, from.bytes());
}

}  // namespace

/// Where the ranks meet. What a rank brought is readable by all between two meetings.
class ThreadGroup::Meeting {
 public:
  explicit Meeting(int size) : calls_(static_cast<std::size_t>(size)) {}
  int size() const { return static_cast<int>(calls_.size()); }
  const Call& call(int rank) const { return calls_[static_cast<std::size_t>(rank)]; }

  /// Returns when all ranks have brought their calls; throws when they disagree.
  void open(int rank, const Call& call) {
    calls_[static_cast<std::size_t>(rank)] = call;
    meet();
  }

  /// Returns when no rank reads what another brought any more.
  void close() { meet(); }

  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    give_up(fmt::format("rank {} has left while others wait for it", rank));
  }

 private:
  void meet() {
    std::unique_lock lock(mutex_);
    const auto round = round_;
    if (trouble_.empty() && ++present_ == size()) end_round();
    changed_.wait(lock, [&] { return round_ != round || !trouble_.empty(); });
    // A round that was complete stands, whatever happened since.
    if (round_ == round) throw base::RunError(trouble_, contract::kExitCommunication);
  }

  /// All are here. From the next round on calls may change, so they are compared now.
  void end_round() {
    for (int other = 1; other < size(); ++other) {
      if (call(other).agrees_with(call(0))) continue;
      give_up(fmt::format("ranks 0 and {} call different collectives", other));
      return;
    }
    present_ = 0;
    ++round_;
    changed_.notify_all();
  }

  void give_up(std::string trouble) {
    if (trouble_.empty()) trouble_ = std::move(trouble);
    changed_.notify_all();
  }

  std::vector<Call> calls_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;
  std::uint64_t round_ = 0;
  std::string trouble_;  ///< why no round can end any more
};

class ThreadGroup::Member : public Communicator {
 public:
  Member(int rank, std::shared_ptr<Meeting> meeting)
      : Communicator(rank, meeting->size()), meeting_(std::move(meeting)) {}
  ~Member() override { meeting_->leave(rank()); }

  void all_reduce(Span data, ReduceOp op) override {
    meeting_->open(rank(), {Kind::all_reduce, data, static_cast<int>(op)});
    // Each rank folds its share of the elements into rank 0's memory, where all fetch them.
    const Span& result = meeting_->call(0).data;
    const std::int64_t first = data.count * rank() / size();
    const std::int64_t last = data.count * (rank() + 1) / size();
    for (int other = 1; other < size(); ++other) {
      fold_of(data.type)(result, meeting_->call(other).data, first, last, op);
    }
    meeting_->close();
    copy(result, data.data);
    meeting_->close();
  }

  void broadcast(Span data, int root) override {
    meeting_->open(rank(), {Kind::broadcast, data, root});
    copy(meeting_->call(root).data, data.data);
    meeting_->close();
  }

  void all_gather(Span in, Span out) override {
    meeting_->open(rank(), {Kind::all_gather, in, 0});
    auto* to = static_cast<std::byte*>(out.data);
    for (int other = 0; other < size(); ++other, to += in.bytes()) {
      copy(meeting_->call(other).data, to);
    }
    meeting_->close();
  }

  void barrier() override { meeting_->open(rank(), {}); }

 private:
  std::shared_ptr<Meeting> meeting_;
};

ThreadGroup::ThreadGroup(int size) : meeting_(std::make_shared<Meeting>(size)) {}
ThreadGroup::~ThreadGroup() = default;

std::unique_ptr<Communicator> ThreadGroup::join(int rank) {
  return std::make_unique<Member>(rank, meeting_);
}

void run_as_threads(int size, const std::function<void(Communicator&)>& body) {
  ThreadGroup group(size);
  std::mutex mutex;
  std::exception_ptr first_error;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto communicator = group.join(rank);
      try {
        body(*communicator);
      } catch (...) {
        // Noted before the rank leaves, so before those who wait for it fail in turn.
        const std::lock_guard lock(mutex);
        if (!first_error) first_error = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}

extern const CommunicatorEntry thread_entry;
const CommunicatorEntry thread_entry{
    .name = "thread", .summary = "ranks as threads of one process", .unavailable = nullptr};

}  // namespace dlscale::trainer
