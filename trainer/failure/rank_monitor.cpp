// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/rank_monitor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "base/file.hpp"
#include "trainer/comm/rank_process.hpp"

namespace dlscale::trainer {

using contract::RunStop;

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{10};

/// Returns a number that identifies this machine until its next boot. Returns 0 if the system does
/// not report a boot id.
std::int64_t this_machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (!std::getline(file, id) || id.empty()) return 0;
  return static_cast<std::int64_t>(std::hash<std::string>()(id));
}

std::vector<RankProcess> processes_of(CollectiveQueue& ranks) {
  constexpr std::int64_t kNumbers = sizeof(RankProcess) / sizeof(std::int64_t);
  RankProcess mine = RankProcess::of_this_one();
  std::vector<RankProcess> all(static_cast<std::size_t>(ranks.size()));
  ranks
      .all_gather({&mine, kNumbers, ElementType::int64},
                  {all.data(), kNumbers * ranks.size(), ElementType::int64})
      ->wait();
  return all;
}

template <class Condition>
void wait_until(std::chrono::milliseconds patience, const Condition& condition) {
  for (auto waited = kBetweenLooks; waited <= patience && !condition(); waited += kBetweenLooks) {
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

/// Returns `stop`, changed such that its reason is the unexpected end of `rank`.
RunStop lost(RunStop stop, int rank) {
  stop.outcome = contract::RunOutcome::Failed;
  stop.reason = fmt::format("rank {} has left while others wait for it", rank);
  return stop;
}

}  // namespace

RankProcess RankProcess::of_this_one() {
  return {this_machine(), static_cast<std::int64_t>(process_space()), ::getpid()};
}

RankMonitor::RankMonitor(int rank, std::vector<RankProcess> processes)
    : rank_(rank), processes_(std::move(processes)) {}

RankMonitor::RankMonitor(CollectiveQueue& ranks) : RankMonitor(ranks.rank(), processes_of(ranks)) {}

void RankMonitor::enter(const contract::LaunchDir& launch) {
  const std::lock_guard lock(mutex_);
  launch_ = launch;
}

void RankMonitor::report_failure(RunStop stop, bool lost_connection) {
  if (lost_connection) await_report();
  if (succeeds_root()) complete_records(lost(stop, 0));
  write_report(std::move(stop));
}

void RankMonitor::handle_signal(RunStop stop) {
  const auto gone = first_gone();
  if (!sees(0) && gone) write_report(lost(stop, *gone));
  wait_until(kPatience, [&] { return has_gone(0); });
  if (succeeds_root()) complete_records(lost(std::move(stop), 0));
}

RunStop RankMonitor::reason_of_signal(RunStop stop) {
  if (const auto gone = first_gone()) return first_reported(lost(std::move(stop), *gone), false);
  if (unseen().empty()) return first_reported(std::move(stop), false);
  if (auto other = await_report()) return std::move(*other);
  for (const int rank : unseen()) {
    if (!is_alone(rank)) continue;
    stop.reason +=
        fmt::format("; it is unknown whether rank {}, alone on its node, ended earlier", rank);
    break;
  }
  return stop;
}

RunStop RankMonitor::first_reported(RunStop stop, bool lost_connection) {
  return (lost_connection ? await_report() : report()).value_or(std::move(stop));
}

bool RankMonitor::see_each_other(int a, int b) const {
  const RankProcess& one = processes_[static_cast<std::size_t>(a)];
  const RankProcess& other = processes_[static_cast<std::size_t>(b)];
  return one.machine != 0 && one.space != 0 && one.machine == other.machine &&
         one.space == other.space;
}

bool RankMonitor::sees(int rank) const {
  return see_each_other(rank_, rank);
}

bool RankMonitor::has_gone(int rank) const {
  return sees(rank) &&
         has_ended(static_cast<pid_t>(processes_[static_cast<std::size_t>(rank)].number));
}

std::optional<int> RankMonitor::first_gone() const {
  for (int rank = 0; rank < static_cast<int>(processes_.size()); ++rank) {
    if (rank != rank_ && has_gone(rank)) return rank;
  }
  return std::nullopt;
}

bool RankMonitor::succeeds_root() const {
  if (rank_ == 0 || !has_gone(0)) return false;
  for (int rank = 1; rank < rank_; ++rank) {
    if (sees(rank) && !has_gone(rank)) return false;
  }
  return true;
}

std::vector<int> RankMonitor::unseen() const {
  std::vector<int> found;
  for (int rank = 0; rank < static_cast<int>(processes_.size()); ++rank) {
    if (rank != rank_ && !sees(rank)) found.push_back(rank);
  }
  return found;
}

bool RankMonitor::is_alone(int rank) const {
  for (int other = 0; other < static_cast<int>(processes_.size()); ++other) {
    if (other != rank && see_each_other(other, rank)) return false;
  }
  return true;
}

std::optional<contract::LaunchDir> RankMonitor::launch() const {
  const std::lock_guard lock(mutex_);
  return launch_;
}

std::optional<RunStop> RankMonitor::report() const {
  const auto launch = this->launch();
  if (!launch) return std::nullopt;
  try {
    if (!std::filesystem::exists(launch->rank_stop())) return std::nullopt;
    const auto left = contract::parse_results(base::read_file(launch->rank_stop()));
    if (left.records.empty()) return std::nullopt;
    const auto* stop = std::get_if<RunStop>(&left.records.front());
    return stop != nullptr ? std::optional(*stop) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<RunStop> RankMonitor::await_report() const {
  std::optional<RunStop> found;
  wait_until(kPatience / 2, [&] { return (found = report()).has_value(); });
  return found;
}

void RankMonitor::write_report(RunStop stop) const {
  const auto launch = this->launch();
  if (!launch) return;
  try {
    if (std::filesystem::exists(launch->rank_stop())) return;
    stop.reason = fmt::format("rank {}: {}", rank_, stop.reason);
    base::write_file_atomically(launch->rank_stop(), contract::to_json_line(stop) + "\n");
  } catch (const std::exception&) {
    // A failed write is ignored, because the stderr of the job contains the reason as well.
  }
}

/// Appends the run_stop record that rank 0 did not write before it ended. Does nothing if rank 0
/// has written a run_stop.
void RankMonitor::complete_records(RunStop stop) {
  const auto launch = this->launch();
  if (!launch) return;
  std::call_once(completed_, [&] {
    try {
      stop = report().value_or(stop);
      for (const auto& record :
           contract::parse_results(base::read_file(launch->results())).records) {
        if (std::holds_alternative<RunStop>(record)) return;
        if (const auto* window = std::get_if<contract::StepWindow>(&record)) {
          stop.samples += window->samples;
        }
      }
      base::LineAppender(launch->results()).append(contract::to_json_line(stop));
      base::LineAppender(launch->err()).append(stop.reason);
    } catch (const std::exception&) {
      // A failed write is ignored, because the message of the MPI launcher names the lost rank as
      // well.
    }
  });
}

}  // namespace dlscale::trainer
