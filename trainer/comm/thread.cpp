// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/call_number.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/reduce_elements.hpp"

namespace dlscale::trainer {

bool ThreadCall::agrees_with(const ThreadCall& other) const {
  return kind == other.kind && data.count == other.data.count && data.type == other.data.type &&
         op == other.op && root == other.root && number == other.number;
}

ThreadMeeting::ThreadMeeting(int size)
    : calls_(static_cast<std::size_t>(size)), waits_(calls_.size()), left_(calls_.size()) {}

void ThreadMeeting::open(int rank, ThreadCall call) {
  calls_[static_cast<std::size_t>(rank)] = std::move(call);
  meet(rank);
}

void ThreadMeeting::close(int rank) {
  meet(rank);
}

void ThreadMeeting::show(int rank, std::shared_ptr<ThreadMeeting> made) {
  calls_[static_cast<std::size_t>(rank)].made = std::move(made);
}

void ThreadMeeting::meet(int rank) {
  Lock lock(mutex_);
  const auto round = round_;
  if (trouble_.empty() && ++present_ == size()) end_round();
  // If all ranks have arrived, this call succeeds even if a rank has failed in the meantime.
  wait(rank, {[this, round] { return round_ != round; }}, lock);
}

/// Ends the round. The last rank that arrives runs this function. It also compares the calls of all
/// ranks, because the ranks may replace their calls as soon as the next round begins.
void ThreadMeeting::end_round() {
  for (int other = 1; other < size(); ++other) {
    if (call(other).agrees_with(call(0))) continue;
    give_up(fmt::format("ranks 0 and {} call different collectives", other));
    return;
  }
  present_ = 0;
  ++round_;
  changed_.notify_all();
}

void ThreadMeeting::exchange(int rank, Span out, int to, Span in, int from) {
  Lock lock(mutex_);
  Letter letter{out};
  auto* posted = to == kNobody ? nullptr : &letters_[{rank, to}];
  if (posted) posted->push_back(&letter);
  changed_.notify_all();
  try {
    if (from != kNobody) receive(rank, from, in, lock);
    if (posted) wait(rank, {[&letter] { return letter.taken; }, to}, lock);
  } catch (...) {
    if (posted) std::erase(*posted, &letter);
    throw;
  }
}

/// Receives a message from rank `from`. The data is in the memory of the sender, so the receiver
/// copies it under the lock, which keeps the sender from leaving.
void ThreadMeeting::receive(int rank, int from, const Span& in, Lock& lock) {
  auto& letters = letters_[{from, rank}];
  wait(rank, {[&letters] { return !letters.empty(); }, from}, lock);
  Letter& letter = *letters.front();
  if (letter.text.count != in.count || letter.text.type != in.type) {
    give_up(fmt::format(
        "rank {} sends {} elements of {} bytes, but rank {} expects {} elements of {} bytes", from,
        letter.text.count, bytes_of(letter.text.type), rank, in.count, bytes_of(in.type)));
    throw base::RunError(trouble_, contract::kExitCommunication);
  }
  letters.pop_front();
  if (in.count > 0) std::memcpy(in.data, letter.text.data, in.bytes());
  letter.taken = true;
  changed_.notify_all();
}

void ThreadMeeting::leave(int rank) {
  const std::lock_guard lock(mutex_);
  left_[static_cast<std::size_t>(rank)] = true;
  if (all_stuck())
    give_up(fmt::format("rank {} has left and the other ranks wait for each other", rank));
  changed_.notify_all();
}

void ThreadMeeting::wait(int rank, Wait what, Lock& lock) {
  if (what.over()) return;
  const auto place = static_cast<std::size_t>(rank);
  waits_[place] = &what;
  if (all_stuck()) give_up("every rank waits for another rank: the ranks make different calls");
  changed_.wait(lock, [&] { return what.over() || !why_in_vain(what).empty(); });
  waits_[place] = nullptr;
  if (!what.over()) throw base::RunError(why_in_vain(what), contract::kExitCommunication);
}

std::string ThreadMeeting::why_in_vain(const Wait& what) const {
  if (!trouble_.empty()) return trouble_;
  for (int rank = 0; rank < size(); ++rank) {
    if (!left_[static_cast<std::size_t>(rank)]) continue;
    if (what.peer != kNobody && what.peer != rank) continue;
    return fmt::format("rank {} has left while others wait for it", rank);
  }
  return {};
}

/// Returns true if all remaining ranks wait for each other. A rank that is about to receive an
/// error is not stuck.
bool ThreadMeeting::all_stuck() const {
  bool any = false;
  for (std::size_t rank = 0; rank < waits_.size(); ++rank) {
    if (left_[rank]) continue;
    const Wait* wait = waits_[rank];
    if (!wait || wait->over() || !why_in_vain(*wait).empty()) return false;
    any = true;
  }
  return any;
}

void ThreadMeeting::give_up(std::string trouble) {
  if (trouble_.empty()) trouble_ = std::move(trouble);
  changed_.notify_all();
}

// Collectives between threads. In each collective the ranks wait for each other, read the memory of
// each other, and wait again until all ranks have finished reading.

namespace {

using Kind = ThreadCall::Kind;

void copy(const Span& from, const Span& to) {
  if (from.count > 0 && from.data != to.data) std::memcpy(to.data, from.data, from.bytes());
}

class Member : public Communicator {
 public:
  Member(int rank, std::shared_ptr<ThreadMeeting> meeting)
      : Communicator(rank, meeting->size()), meeting_(std::move(meeting)) {}
  ~Member() override { meeting_->leave(rank()); }

 private:
  void do_all_reduce(Span data, ReduceOp op) override;
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override;
  void do_all_gather(Span in, Span out) override;
  void do_broadcast(Span data, int root) override;
  void do_reduce(Span data, ReduceOp op, int root) override;
  void do_exchange(Span out, int to, Span in, int from) override {
    meeting_->exchange(rank(), out, to, in, from);
  }
  void do_check_same_call(const NamedCollective& call) override {
    open({.number = number_of(call)});
  }
  std::unique_ptr<Communicator> do_split(int color) override;

  void open(const ThreadCall& call) {
    const auto begin = std::chrono::steady_clock::now();
    meeting_->open(rank(), call);
    waited(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  void close() { meeting_->close(rank()); }
  const Span& data_of(int other) const { return meeting_->call(other).data; }
  /// Reduces the elements of all ranks that start at `first` to `into`, in ascending order of
  /// ranks.
  void fold_all(std::int64_t first, const Span& into, ReduceOp op) const {
    copy(data_of(0).part(first, into.count), into);
    for (int other = 1; other < size(); ++other) {
      reduce_elements(into, data_of(other).part(first, into.count), op);
    }
  }

  std::shared_ptr<ThreadMeeting> meeting_;
};

void Member::do_all_reduce(Span data, ReduceOp op) {
  open({Kind::all_reduce, data, op});
  // Each rank reduces an equal part of the elements and writes the result to the memory of rank 0.
  // All ranks then copy the complete result from there.
  const Span& result = data_of(0);
  const std::int64_t first = data.count * rank() / size();
  const std::int64_t last = data.count * (rank() + 1) / size();
  fold_all(first, result.part(first, last - first), op);
  close();
  copy(result, data);
  close();
}

void Member::do_reduce_scatter(Span in, Span out, ReduceOp op) {
  open({Kind::reduce_scatter, in, op});
  fold_all(out.count * rank(), out, op);
  close();
}

void Member::do_all_gather(Span in, Span out) {
  open({Kind::all_gather, in});
  for (int other = 0; other < size(); ++other) {
    copy(data_of(other), out.part(other * in.count, in.count));
  }
  close();
}

void Member::do_broadcast(Span data, int root) {
  open({Kind::broadcast, data, ReduceOp::sum, root});
  copy(data_of(root), data);
  close();
}

void Member::do_reduce(Span data, ReduceOp op, int root) {
  open({Kind::reduce, data, op, root});
  const std::int64_t first = data.count * rank() / size();
  const std::int64_t last = data.count * (rank() + 1) / size();
  std::vector<std::byte> memory(data.part(first, last - first).bytes());
  const Span share{memory.data(), last - first, data.type};
  fold_all(first, share, op);
  copy(share, data_of(root).part(first, share.count));
  close();
}

/// Splits the group. The first rank of each color makes the meeting point for all ranks of the
/// color.
std::unique_ptr<Communicator> Member::do_split(int color) {
  open({.kind = Kind::split, .color = color});
  std::vector<int> members;
  for (int other = 0; other < size(); ++other) {
    if (meeting_->call(other).color == color) members.push_back(other);
  }
  if (members.front() == rank()) {
    meeting_->show(rank(), std::make_shared<ThreadMeeting>(static_cast<int>(members.size())));
  }
  close();
  const auto place = std::find(members.begin(), members.end(), rank()) - members.begin();
  auto part =
      std::make_unique<Member>(static_cast<int>(place), meeting_->call(members.front()).made);
  close();
  return part;
}

}  // namespace

ThreadGroup::ThreadGroup(int size) : meeting_(std::make_shared<ThreadMeeting>(size)) {}
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
        // The error is stored before this rank leaves. Ranks that wait for this rank fail as soon
        // as it has left, and their errors must not be stored first.
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
