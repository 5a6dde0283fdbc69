// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/checkpoint_store.hpp"

#include <fmt/format.h>

#include <system_error>
#include <variant>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/result_record.hpp"
#include "contract/run_id.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

/// A folder that is gone in the end unless it was kept.
class Draft {
 public:
  explicit Draft(fs::path path) : path_(std::move(path)) {
    discard();
    base::make_directories(path_);
  }
  ~Draft() { discard(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  void keep_as(const fs::path& name) {
    std::error_code error;
    fs::rename(path_, name, error);
    if (error) {
      throw base::RunError(fmt::format("cannot write {}: {}", name.string(), error.message()));
    }
  }

 private:
  void discard() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path_;
};

/// Renamed first: what is half deleted is no checkpoint.
void remove(const contract::CheckpointDir& saved) {
  std::error_code ignored;
  fs::rename(saved.root(), saved.draft(), ignored);
  fs::remove_all(saved.draft(), ignored);
}

std::optional<contract::RunOutcome> outcome_of(const contract::LaunchDir& launch) {
  if (!fs::exists(launch.results())) return std::nullopt;
  const auto results = contract::parse_results(base::read_file(launch.results()));
  if (results.records.empty()) return std::nullopt;
  const auto* stop = std::get_if<contract::RunStop>(&results.records.back());
  return stop != nullptr ? std::optional(stop->outcome) : std::nullopt;
}

/// Throws base::Error with what speaks against it.
contract::CheckpointHeader take(const contract::CheckpointDir& saved,
                                const CheckpointSearch& search) {
  const std::string file = saved.header().string();
  contract::CheckpointHeader header =
      contract::checkpoint_header_from_json(base::read_file(file), file);
  if (header.world_size != search.spec.gpus) {
    throw base::RunError(fmt::format("{} is of {} ranks, this launch has {}", saved.root().string(),
                                     header.world_size, search.spec.gpus));
  }
  if (header.description_hash != contract::description_hash(search.spec)) {
    throw base::RunError(fmt::format(
        "{} is of another description of the run; run.json has changed", saved.root().string()));
  }
  if (header.files.empty()) throw base::RunError(file + ": names no files");
  search.take(read_saved(saved.root(), header.files.front()));
  return header;
}

/// The newest good one of a launch.
std::optional<FoundCheckpoint> take_from(const contract::LaunchDir& launch,
                                         const CheckpointSearch& search) {
  const auto all = launch.all_saved();
  for (auto saved = all.rbegin(); saved != all.rend(); ++saved) {
    try {
      return FoundCheckpoint{launch, take(*saved, search)};
    } catch (const base::Error& error) {
      search.warn(fmt::format("a checkpoint is passed over: {}", error.what()));
    }
  }
  return std::nullopt;
}

}  // namespace

Saved save_checkpoint(const contract::LaunchDir& launch, contract::CheckpointHeader header,
                      const StateWriter& write_state,
                      const std::vector<contract::LaunchDir>& superseded) {
  const auto older = launch.all_saved();
  const contract::CheckpointDir next = launch.saved(older.empty() ? 1 : older.back().number() + 1);
  Draft draft(next.draft());
  StateFile state(next.draft() / contract::CheckpointDir::rank_file(0));
  write_state(state);
  header.files = {state.close()};
  StateFile description(contract::CheckpointDir(next.draft()).header());
  description.append(contract::to_json(header));
  description.close();
  sync_folder(next.draft());
  draft.keep_as(next.root());
  sync_folder(launch.checkpoint());
  for (const contract::CheckpointDir& saved : older) remove(saved);
  for (const contract::LaunchDir& earlier : superseded) delete_checkpoints(earlier);
  return {next.root().lexically_relative(launch.root()).string(), header.files.front().bytes};
}

void delete_checkpoints(const contract::LaunchDir& launch) {
  for (const contract::CheckpointDir& saved : launch.all_saved()) remove(saved);
  std::error_code ignored;
  fs::remove_all(launch.checkpoint(), ignored);
}

std::optional<FoundCheckpoint> take_newest(const CheckpointSearch& search) {
  const auto launches = search.folder.launches();
  for (auto launch = launches.rbegin(); launch != launches.rend(); ++launch) {
    if (launch->number() >= search.launch) continue;
    const auto outcome = outcome_of(*launch);
    if (outcome == contract::RunOutcome::Completed || outcome == contract::RunOutcome::Diverged) {
      break;
    }
    if (auto found = take_from(*launch, search)) return found;
  }
  return std::nullopt;
}

}  // namespace dlscale::trainer
