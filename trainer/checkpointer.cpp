// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpointer.hpp"

#include <ATen/ATen.h>

#include <utility>

#include "contract/run_id.hpp"
#include "contract/version.hpp"
#include "trainer/agreement.hpp"
#include "trainer/checkpoint/checkpoint_store.hpp"
#include "trainer/checkpoint/named_tensor.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::trainer {

Checkpointer::Checkpointer(Context context, ParallelStyle& style)
    : context_(std::move(context)), style_(style), saved_s_(context_.clock.steady_s()) {}

Resumed Checkpointer::resume() {
  std::string text;
  const std::vector<NamedTensor> state = style_.state();
  all_or_none(context_.queue, [&] {
    if (!is_root()) return;
    if (const auto header = take_newest(state)) text = contract::to_json(*header);
  });
  text = broadcast_text(std::move(text), context_.queue);
  if (text.empty()) return {};
  style_.load(state);
  const auto header = contract::checkpoint_header_from_json(text, "");
  last_ = header.progress;
  return {source_ ? source_->root().filename().string() : "", header.progress};
}

std::optional<contract::CheckpointHeader> Checkpointer::take_newest(
    const std::vector<NamedTensor>& state) {
  auto found = trainer::take_newest(
      {.spec = context_.spec,
       .folder = context_.folder,
       .launch = context_.launch,
       .take = [&state](const std::string& bytes) { read_archive(bytes, state); },
       .warn = [this](const std::string& line) { context_.writer.warn(line); }});
  if (!found) return std::nullopt;
  source_ = found->launch;
  return std::move(found->header);
}

std::optional<std::string> Checkpointer::save(const contract::Progress& progress) {
  if (last_ && last_->same_place(progress)) return std::nullopt;
  std::optional<std::string> failure;
  const std::vector<NamedTensor> state = style_.state();
  try {
    all_or_none(context_.queue, [&] {
      if (is_root()) write(progress, state);
    });
    last_ = progress;
  } catch (const SharedError& error) {
    failure = error.what();
  }
  saved_s_ = context_.clock.steady_s();
  return failure;
}

void Checkpointer::write(const contract::Progress& progress,
                         const std::vector<NamedTensor>& state) {
  const double begin_s = context_.clock.steady_s();
  const contract::CheckpointHeader header{
      .run_id = context_.spec.run_id,
      .description_hash = contract::description_hash(context_.spec),
      .world_size = context_.spec.gpus,
      .trainer_version = contract::version(),
      .time = context_.clock.unix_s(),
      .progress = progress};
  std::vector<contract::LaunchDir> superseded;
  if (source_) superseded.push_back(*source_);
  const Saved saved = save_checkpoint(
      launch(), header,
      [&state](StateFile& file) {
        write_archive(state, [&file](std::string_view bytes) { file.append(bytes); });
      },
      superseded);
  source_.reset();
  context_.writer.write(contract::CheckpointRecord{.epoch = progress.epoch,
                                                   .step = progress.step,
                                                   .time = context_.clock.unix_s(),
                                                   .wall_s = context_.clock.steady_s() - begin_s,
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

}  // namespace dlscale::trainer
