// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/checkpointer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "contract/run_spec/run_id.hpp"
#include "contract/version.hpp"
#include "trainer/checkpoint/checkpoint_store.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/failure/failure.hpp"
#include "trainer/models/weights.hpp"

namespace dlscale::trainer {
namespace {

std::vector<NamedTensor> copies_of(const std::vector<NamedTensor>& tensors) {
  std::vector<NamedTensor> copies;
  for (const auto& [name, tensor] : tensors) {
    copies.push_back({name, tensor.detach().to(at::kCPU, tensor.scalar_type(),
                                               /*non_blocking=*/false, /*copy=*/true)});
  }
  return copies;
}

/// Returns the content of the file that `rank` wrote for the checkpoint `saved`.
std::string read_rank_file(const contract::CheckpointDir& saved,
                           const contract::CheckpointHeader& header, int rank) {
  const std::string name = contract::CheckpointDir::rank_file(rank);
  const auto found = std::ranges::find(header.files, name, &contract::SavedFile::name);
  if (found == header.files.end()) {
    throw base::RunError(saved.header().string() + ": does not list " + name);
  }
  return read_saved(saved.root(), *found);
}

}  // namespace

Checkpointer::Checkpointer(Context context, ParallelStyle& style)
    : context_(std::move(context)), style_(style), saved_s_(context_.clock.steady_s()) {}

Checkpointer::Tensors Checkpointer::tensors() {
  return {style_.state(), style_.shard()};
}

/// Returns the tensors that this rank writes to its checkpoint file. If the list is empty, the rank
/// writes no file.
std::vector<NamedTensor> Checkpointer::own(const Tensors& tensors) const {
  std::vector<NamedTensor> mine;
  if (is_root()) mine = tensors.state;
  append(mine, "", tensors.shard);
  return mine;
}

Resumed Checkpointer::resume() {
  const Tensors all = tensors();
  const std::vector<NamedTensor> mine = own(all);
  std::string text;
  std::exception_ptr failure;
  if (is_root()) {
    try {
      if (const auto header = search(mine)) text = contract::to_json(*header);
    } catch (const base::Error&) {
      failure = std::current_exception();
    }
    broadcast_text("", context_.queue);  // ends follow_search() on the other ranks
  } else {
    follow_search(mine);
  }
  all_or_none(context_.queue, [&] {
    if (failure) std::rethrow_exception(failure);
  });
  text = broadcast_text(std::move(text), context_.queue);
  if (text.empty()) return {};
  style_.load(all.state);
  const auto header = contract::checkpoint_header_from_json(text, "");
  last_ = header.progress;
  return {source_ ? source_->root().filename().string() : "", header.progress};
}

/// Returns the hash of the run description and of the model's file. The run can resume only from a
/// checkpoint with the same hash. The hash includes the digest of the model's file, because
/// otherwise another network with parameters of the same shapes could load the checkpoint.
std::string Checkpointer::description_hash() const {
  std::string hash = contract::description_hash(context_.spec);
  if (context_.model_sha256.empty()) return hash;
  return contract::sha256_hex(hash + " " + context_.model_sha256);
}

/// Searches for a usable checkpoint. Runs on rank 0, while the other ranks run follow_search(). All
/// ranks together try to restore one checkpoint after another until a checkpoint is usable.
std::optional<contract::CheckpointHeader> Checkpointer::search(
    const std::vector<NamedTensor>& mine) {
  auto found = restore_newest(
      {.world_size = context_.spec.gpus,
       .description_hash = description_hash(),
       .folder = context_.folder,
       .launch = context_.launch,
       .restore =
           [&](const contract::CheckpointDir& saved, const contract::CheckpointHeader& header) {
             broadcast_text(saved.root().string(), context_.queue);
             broadcast_text(contract::to_json(header), context_.queue);
             restore(saved, header, mine);
           },
       .warn = [this](const std::string& line) { context_.writer.warn(line); }});
  if (!found) return std::nullopt;
  source_ = found->launch;
  return std::move(found->header);
}

void Checkpointer::follow_search(const std::vector<NamedTensor>& mine) {
  for (;;) {
    const std::string folder = broadcast_text("", context_.queue);
    if (folder.empty()) return;
    const std::string header = broadcast_text("", context_.queue);
    try {
      restore(contract::CheckpointDir(folder),
              contract::checkpoint_header_from_json(header, folder), mine);
    } catch (const SharedError&) {
      continue;  // rank 0 reports the error and tries the next checkpoint
    }
  }
}

/// **Collective.** Restores the state from a checkpoint. Every rank reads its own file. Throws
/// SharedError without changing any tensor when one of the files is unusable.
void Checkpointer::restore(const contract::CheckpointDir& saved,
                           const contract::CheckpointHeader& header,
                           const std::vector<NamedTensor>& mine) {
  std::vector<at::Tensor> values;
  all_or_none(context_.queue, [&] {
    if (mine.empty()) return;
    values = find_in_archive(read_rank_file(saved, header, context_.queue.rank()), mine);
  });
  if (!mine.empty()) fill(mine, values);
}

std::optional<SaveFailure> Checkpointer::save(const contract::Progress& progress) {
  std::optional<SaveFailure> failure = finish();
  if (holds(progress)) return failure;
  try {
    begin(progress);
    if (!context_.spec.checkpoint.asynchronous) failure = finish();
  } catch (const SharedError& error) {
    failure = {progress.step, error.what()};
  }
  saved_s_ = context_.clock.steady_s();
  return failure;
}

void Checkpointer::begin(const contract::Progress& progress) {
  const double begin_s = context_.clock.steady_s();
  std::string folder;
  all_or_none(context_.queue, [&] {
    if (is_root()) folder = begin_checkpoint(launch()).root().string();
  });
  const contract::CheckpointDir next(broadcast_text(std::move(folder), context_.queue));
  const Tensors all = tensors();
  const bool asynchronous = context_.spec.checkpoint.asynchronous;
  auto write = [next, rank = context_.queue.rank(),
                mine = asynchronous ? copies_of(own(all)) : own(all)] {
    if (mine.empty()) return contract::SavedFile{};
    return write_rank_file(next, rank, [&mine](StateFile& file) {
      write_archive(mine, [&file](std::string_view bytes) { file.append(bytes); });
    });
  };
  pending_.emplace(Pending{
      progress, begin_s, next, !all.shard.empty(),
      std::async(asynchronous ? std::launch::async : std::launch::deferred, std::move(write))});
}

bool Checkpointer::is_writing() const {
  return pending_ &&
         pending_->file.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
}

std::optional<SaveFailure> Checkpointer::finish() {
  if (!pending_) return std::nullopt;
  std::optional<SaveFailure> failure;
  try {
    contract::SavedFile mine;
    all_or_none(context_.queue, [&] { mine = pending_->file.get(); });
    auto files = files_of_all_ranks(mine);
    all_or_none(context_.queue, [&] {
      if (is_root()) complete(std::move(files));
    });
    last_ = pending_->progress;
  } catch (const SharedError& error) {
    if (is_root()) abandon_checkpoint(pending_->next);
    failure = {pending_->progress.step, error.what()};
  }
  pending_.reset();
  return failure;
}

/// **Collective** if the pending checkpoint has a file of every rank. Returns the name, size and
/// checksum of the checkpoint files of all ranks.
std::vector<contract::SavedFile> Checkpointer::files_of_all_ranks(const contract::SavedFile& mine) {
  if (!pending_->is_sharded) return {mine};
  const int ranks = context_.queue.size();
  std::array<std::int64_t, 2> numbers{mine.bytes, mine.crc32};
  std::vector<std::int64_t> all(static_cast<std::size_t>(2 * ranks));
  context_.queue
      .all_gather({numbers.data(), 2, ElementType::int64},
                  {all.data(), 2 * ranks, ElementType::int64})
      ->wait();
  std::vector<contract::SavedFile> files;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<std::size_t>(2 * rank);
    files.push_back({contract::CheckpointDir::rank_file(rank), all[at],
                     static_cast<std::uint32_t>(all[at + 1])});
  }
  return files;
}

/// Writes the header that makes the checkpoint valid. Rank 0 calls this function after the files of
/// all ranks are on disk.
void Checkpointer::complete(std::vector<contract::SavedFile> files) {
  const contract::Progress& progress = pending_->progress;
  std::vector<contract::LaunchDir> earlier;
  for (const contract::LaunchDir& each : context_.folder.launches()) {
    if (source_ && each.number() <= source_->number()) earlier.push_back(each);
  }
  const Saved saved = finish_checkpoint({.launch = launch(),
                                         .next = pending_->next,
                                         .header = {.run_id = context_.spec.run_id,
                                                    .description_hash = description_hash(),
                                                    .world_size = context_.spec.gpus,
                                                    .trainer_version = contract::version(),
                                                    .time = context_.clock.unix_s(),
                                                    .progress = progress,
                                                    .files = std::move(files)},
                                         .keep = context_.spec.checkpoint.keep,
                                         .earlier = std::move(earlier)});
  context_.writer.write(
      contract::CheckpointRecord{.epoch = progress.epoch,
                                 .step = progress.step,
                                 .time = context_.clock.unix_s(),
                                 .wall_s = context_.clock.steady_s() - pending_->begin_s,
                                 .path = saved.path,
                                 .bytes = saved.bytes});
}

bool Checkpointer::due_by_time() const {
  const double minutes = context_.spec.checkpoint.every_minutes;
  return is_root() && minutes > 0 && context_.clock.steady_s() - saved_s_ >= 60 * minutes;
}

bool Checkpointer::due_after_epoch(int epoch) const {
  const int every = context_.spec.checkpoint.every_epochs;
  return every > 0 && (epoch + 1) % every == 0;
}

void Checkpointer::discard() {
  if (!is_root()) return;
  for (const contract::LaunchDir& each : context_.folder.launches()) {
    if (each.number() <= context_.launch) delete_checkpoints(each);
  }
}

void Checkpointer::leave_weights() {
  style_.swap_ema_weights();
  const std::vector<NamedTensor> weights = weights_in(style_.state());
  all_or_none(context_.queue, [&] {
    if (is_root()) write_safetensors(launch().weights(), weights);
  });
  style_.swap_ema_weights();
}

}  // namespace dlscale::trainer
