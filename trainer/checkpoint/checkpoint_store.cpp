// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/checkpoint_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <system_error>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <variant>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/result_record.hpp"
#include "images/checksum.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const char* action, const fs::path& path) {
  throw base::RunError(
      fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(errno)));
}

std::uint32_t crc32_of(std::uint32_t before, std::string_view bytes) {
  return images::checksum({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                          before);
}

}  // namespace

StateFile::StateFile(const fs::path& path)
    : path_(path),
      descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail("write", path_);
}

StateFile::~StateFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void StateFile::append(std::string_view bytes) {
  crc32_ = crc32_of(crc32_, bytes);
  bytes_ += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", path_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

contract::SavedFile StateFile::close() {
  if (::fsync(descriptor_) != 0) fail("write", path_);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("write", path_);
  return {path_.filename().string(), bytes_, crc32_};
}

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail("open", folder);
  // Some network file systems do not support fsync for folders, and fsync fails with EINVAL or
  // ENOTSUP there. These errors are ignored, because the server of such a file system already
  // stores new names durably.
  const bool failed = ::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP;
  ::close(descriptor);
  if (failed) fail("write", folder);
}

std::string read_saved(const fs::path& folder, const contract::SavedFile& file) {
  const fs::path path = folder / file.name;
  std::string bytes = base::read_file(path);
  if (static_cast<std::int64_t>(bytes.size()) != file.bytes) {
    throw base::RunError(
        fmt::format("{} has {} bytes instead of {}", path.string(), bytes.size(), file.bytes));
  }
  if (crc32_of(0, bytes) != file.crc32) {
    throw base::RunError(fmt::format("{} is damaged: its checksum is wrong", path.string()));
  }
  return bytes;
}

namespace {

/// Deletes a checkpoint. The folder is renamed to its draft name first, so that a half-deleted
/// folder is never read as a complete checkpoint.
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

/// Checks that a checkpoint belongs to this run and restores it through `search.restore`. Throws
/// base::Error with the reason when the checkpoint cannot be used.
contract::CheckpointHeader restore(const contract::CheckpointDir& saved,
                                   const CheckpointSearch& search) {
  const std::string file = saved.header().string();
  contract::CheckpointHeader header =
      contract::checkpoint_header_from_json(base::read_file(file), file);
  if (header.world_size != search.world_size) {
    throw base::RunError(fmt::format("{} was saved by {} ranks, but this launch has {} ranks",
                                     saved.root().string(), header.world_size, search.world_size));
  }
  if (header.description_hash != search.description_hash) {
    throw base::RunError(fmt::format(
        "{} belongs to another description of the run; run.json or the model file has changed",
        saved.root().string()));
  }
  search.restore(saved, header);
  return header;
}

/// Restores the newest usable checkpoint of `launch`. Reports each unusable checkpoint through
/// `search.warn`.
std::optional<FoundCheckpoint> take_from(const contract::LaunchDir& launch,
                                         const CheckpointSearch& search) {
  const auto all = launch.all_saved();
  for (auto saved = all.rbegin(); saved != all.rend(); ++saved) {
    try {
      return FoundCheckpoint{launch, restore(*saved, search)};
    } catch (const base::Error& error) {
      search.warn(fmt::format("a checkpoint is skipped: {}", error.what()));
    }
  }
  return std::nullopt;
}

/// Deletes the oldest checkpoints until `end.keep` checkpoints remain. Also deletes the checkpoint
/// folder of each earlier launch that has no checkpoint left.
void delete_oldest(const CheckpointEnd& end) {
  std::vector<contract::CheckpointDir> older;
  for (const contract::LaunchDir& launch : end.earlier) {
    for (const contract::CheckpointDir& saved : launch.all_saved()) older.push_back(saved);
  }
  for (const contract::CheckpointDir& saved : end.launch.all_saved()) {
    if (saved.number() < end.next.number()) older.push_back(saved);
  }
  const auto stay = std::min(older.size(), static_cast<std::size_t>(std::max(end.keep, 1) - 1));
  for (std::size_t i = 0; i + stay < older.size(); ++i) remove(older[i]);
  for (const contract::LaunchDir& launch : end.earlier) {
    if (launch.all_saved().empty()) delete_checkpoints(launch);
  }
}

}  // namespace

contract::CheckpointDir begin_checkpoint(const contract::LaunchDir& launch) {
  const auto older = launch.all_saved();
  const contract::CheckpointDir next = launch.saved(older.empty() ? 1 : older.back().number() + 1);
  abandon_checkpoint(next);  // deletes the draft that a killed launch may have left
  base::make_directories(next.draft());
  return next;
}

contract::SavedFile write_rank_file(const contract::CheckpointDir& next, int rank,
                                    const std::function<void(StateFile& file)>& write_state) {
  StateFile state(next.draft() / contract::CheckpointDir::rank_file(rank));
  write_state(state);
  return state.close();
}

Saved finish_checkpoint(const CheckpointEnd& end) {
  const contract::CheckpointDir& next = end.next;
  StateFile description(contract::CheckpointDir(next.draft()).header());
  description.append(contract::to_json(end.header));
  description.close();
  sync_folder(next.draft());
  std::error_code error;
  fs::rename(next.draft(), next.root(), error);
  if (error) {
    throw base::RunError(fmt::format("cannot write {}: {}", next.root().string(), error.message()));
  }
  sync_folder(end.launch.checkpoint());
  delete_oldest(end);
  Saved saved{next.root().lexically_relative(end.launch.root()).string()};
  for (const contract::SavedFile& file : end.header.files) saved.bytes += file.bytes;
  return saved;
}

void abandon_checkpoint(const contract::CheckpointDir& next) {
  std::error_code ignored;
  fs::remove_all(next.draft(), ignored);
}

void delete_checkpoints(const contract::LaunchDir& launch) {
  for (const contract::CheckpointDir& saved : launch.all_saved()) remove(saved);
  std::error_code ignored;
  fs::remove_all(launch.checkpoint(), ignored);
}

std::optional<FoundCheckpoint> restore_newest(const CheckpointSearch& search) {
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
