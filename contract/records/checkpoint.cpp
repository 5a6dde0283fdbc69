// SPDX-License-Identifier: Apache-2.0
#include "contract/records/checkpoint.hpp"

#include <fmt/format.h>

#include "contract/json/codec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, EpochSums& s) {
  v.required("steps", s.steps);
  v.required("samples", s.samples);
  v.required("wall_s", s.wall_s);
  v.required("loss_sum", s.loss_sum);
  v.required("lr", s.lr);
  v.sparse("correct", s.correct);
}

template <class Visitor>
void visit_fields(Visitor& v, Progress& s) {
  v.required("epoch", s.epoch);
  v.required("step", s.step);
  v.required("epoch_recorded", s.epoch_recorded);
  v.required("so_far", s.so_far);
  v.optional("train_s", s.train_s);
  v.optional("flat_epochs", s.flat_epochs);
  v.optional("accuracy_reached", s.accuracy_reached);
  v.optional("loss_reached", s.loss_reached);
  v.sparse("bleu_reached", s.bleu_reached);
  v.sparse("train_loss_reached", s.train_loss_reached);
}

template <class Visitor>
void visit_fields(Visitor& v, SavedFile& s) {
  v.required("name", s.name);
  v.required("bytes", s.bytes);
  v.required("crc32", s.crc32);
}

template <class Visitor>
void visit_fields(Visitor& v, CheckpointHeader& s) {
  v.required("schema_version", s.schema_version);
  v.required("run_id", s.run_id);
  v.required("description_hash", s.description_hash);
  v.required("world_size", s.world_size);
  v.optional("trainer_version", s.trainer_version);
  v.optional("time", s.time);
  v.required("progress", s.progress);
  v.required("files", s.files);
}

std::string to_json(const CheckpointHeader& header) {
  return codec::to_text(header, codec::kIndented) + "\n";
}

CheckpointHeader checkpoint_header_from_json(std::string_view text, std::string_view file) {
  auto header = codec::read_object<CheckpointHeader>(text, file);
  if (header.schema_version > kCheckpointVersion) {
    throw base::SpecError(
        {std::string(file)}, "schema_version",
        fmt::format("is {}, but this build supports at most {}; use a newer dlscale-train",
                    header.schema_version, kCheckpointVersion));
  }
  return header;
}

}  // namespace dlscale::contract
