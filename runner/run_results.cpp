// SPDX-License-Identifier: Apache-2.0
#include "runner/run_results.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kTail_bytes = 64 * 1024;  // enough for the last line of any log
constexpr std::size_t kLongestLine = 300;

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Begin what the trainer says, and the end of mpirun's notice of a rank that said it and ended.
constexpr std::string_view kTrainer = "dlscale-train: ";
constexpr std::string_view kEndOfNotice = "Exit code:";

bool says_something(std::string_view line) {
  return std::any_of(line.begin(), line.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

std::string printable(std::string_view line) {
  std::string text(line.substr(0, kLongestLine));
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  const std::size_t first = text.find_first_not_of(' ');
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

void read_launch(const contract::LaunchDir& launch, RunResults& results) {
  results.launches = launch.number();
  results.start.reset();
  results.stop.reset();
  results.epochs = 0;
  results.saved_step = 0;
  for (const auto& record : contract::parse_results(read_whole(launch.results())).records) {
    if (const auto* start = std::get_if<contract::RunStart>(&record)) results.start = *start;
    if (const auto* stop = std::get_if<contract::RunStop>(&record)) results.stop = *stop;
    if (const auto* epoch = std::get_if<contract::EpochRecord>(&record)) {
      results.epochs = epoch->epoch + 1;
    }
    if (const auto* saved = std::get_if<contract::CheckpointRecord>(&record)) {
      results.saved_step = saved->step;
    }
  }
  const bool done = results.stop && results.stop->outcome == contract::RunOutcome::Completed;
  results.completed = results.completed || done;
}

}  // namespace

RunResults read_run_results(const contract::RunDir& run, double unix_time) {
  RunResults results;
  for (const contract::LaunchDir& launch : run.launches()) {
    RunResults with_it = results;
    read_launch(launch, with_it);
    if (with_it.start && with_it.start->time >= unix_time) break;
    results = std::move(with_it);
  }
  return results;
}

bool has_completed(const contract::RunDir& run) {
  const std::vector<contract::LaunchDir> launches = run.launches();
  return std::any_of(launches.rbegin(), launches.rend(), [](const contract::LaunchDir& launch) {
    const std::string tail = base::read_end(launch.results(), kTail_bytes);
    // Nothing follows it, so what is not there need not be read as records.
    if (tail.rfind("run_stop") == std::string::npos) return false;
    const auto records = contract::parse_results(tail).records;
    return std::any_of(records.begin(), records.end(), [](const contract::ResultRecord& record) {
      const auto* const stop = std::get_if<contract::RunStop>(&record);
      return stop != nullptr && stop->outcome == contract::RunOutcome::Completed;
    });
  });
}

std::string last_words(const fs::path& path) {
  const std::string tail = base::read_end(path, kTail_bytes);
  std::string_view rest = tail;
  std::string last;
  while (!rest.empty()) {
    const std::size_t end = rest.rfind('\n');
    const std::string_view line = end == std::string_view::npos ? rest : rest.substr(end + 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
    if (!says_something(line)) continue;
    if (!last.empty() && !line.starts_with(kTrainer)) continue;
    if (last.empty()) last = printable(line);
    if (line.starts_with(kTrainer) || !last.starts_with(kEndOfNotice)) return printable(line);
  }
  return last;
}

}  // namespace dlscale::runner
