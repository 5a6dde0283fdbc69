// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/thread_meeting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

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
  // A round that was complete stands, whatever happened since.
  wait(rank, {[this, round] { return round_ != round; }}, lock);
}

/// All are here. From the next round on calls may change, so they are compared now.
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
    if (from != kNobody) take(rank, from, in, lock);
    if (posted) wait(rank, {[&letter] { return letter.taken; }, to}, lock);
  } catch (...) {
    if (posted) std::erase(*posted, &letter);
    throw;
  }
}

/// The text is copied under the lock: its sender may not go meanwhile.
void ThreadMeeting::take(int rank, int from, const Span& in, Lock& lock) {
  auto& letters = letters_[{from, rank}];
  wait(rank, {[&letters] { return !letters.empty(); }, from}, lock);
  Letter& letter = *letters.front();
  if (letter.text.count != in.count || letter.text.type != in.type) {
    give_up(fmt::format("rank {} sends {} elements of {} bytes, rank {} receives {} of {}", from,
                        letter.text.count, bytes_of(letter.text.type), rank, in.count,
                        bytes_of(in.type)));
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
  if (all_stuck()) give_up(fmt::format("rank {} has left and the others wait in a circle", rank));
  changed_.notify_all();
}

void ThreadMeeting::wait(int rank, Wait what, Lock& lock) {
  if (what.over()) return;
  const auto place = static_cast<std::size_t>(rank);
  waits_[place] = &what;
  if (all_stuck()) give_up("every rank waits for another: they call different things");
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

/// Whether ranks wait, each for another that waits too. Those that will be told why are not stuck.
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

}  // namespace dlscale::trainer
