// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/node_ranks.hpp"

#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <utility>

#include "trainer/comm/rank_process.hpp"

namespace dlscale::trainer {
namespace {

/// Another one whenever a machine is started; 0: not known.
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

}  // namespace

RankProcess RankProcess::of_this_one() {
  return {this_machine(), static_cast<std::int64_t>(process_space()), ::getpid()};
}

NodeRanks::NodeRanks(int rank, std::vector<RankProcess> processes)
    : rank_(rank), processes_(std::move(processes)) {}

NodeRanks::NodeRanks(CollectiveQueue& ranks) : NodeRanks(ranks.rank(), processes_of(ranks)) {}

bool NodeRanks::see_each_other(int a, int b) const {
  const RankProcess& one = processes_[static_cast<std::size_t>(a)];
  const RankProcess& other = processes_[static_cast<std::size_t>(b)];
  return one.machine != 0 && one.space != 0 && one.machine == other.machine &&
         one.space == other.space;
}

bool NodeRanks::sees(int rank) const {
  return see_each_other(rank_, rank);
}

bool NodeRanks::has_gone(int rank) const {
  return sees(rank) &&
         has_ended(static_cast<pid_t>(processes_[static_cast<std::size_t>(rank)].number));
}

std::optional<int> NodeRanks::first_gone() const {
  for (int rank = 0; rank < static_cast<int>(processes_.size()); ++rank) {
    if (rank != rank_ && has_gone(rank)) return rank;
  }
  return std::nullopt;
}

bool NodeRanks::succeeds_root() const {
  if (rank_ == 0 || !has_gone(0)) return false;
  for (int rank = 1; rank < rank_; ++rank) {
    if (sees(rank) && !has_gone(rank)) return false;
  }
  return true;
}

std::vector<int> NodeRanks::unseen() const {
  std::vector<int> found;
  for (int rank = 0; rank < static_cast<int>(processes_.size()); ++rank) {
    if (rank != rank_ && !sees(rank)) found.push_back(rank);
  }
  return found;
}

bool NodeRanks::is_alone(int rank) const {
  for (int other = 0; other < static_cast<int>(processes_.size()); ++other) {
    if (other != rank && see_each_other(other, rank)) return false;
  }
  return true;
}

}  // namespace dlscale::trainer
