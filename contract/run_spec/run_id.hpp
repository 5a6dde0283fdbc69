// SPDX-License-Identifier: Apache-2.0
// Builds the names of runs: readable, short, and equal for equal descriptions.
#pragma once

#include <string>
#include <string_view>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

/// Returns the SHA-256 of `text` in lower-case hexadecimal digits.
std::string sha256_hex(std::string_view text);

/// Returns the text with only the characters that file names may contain: letters, digits, ".", "_"
/// and "-". Each other character becomes "_".
std::string file_word(std::string_view text);

/// Returns the name of a model in run ids: the model itself, or the stem of a script's file.
std::string model_word(std::string_view model);

/// Returns 10 hexadecimal digits that identify the settings on which the training depends. They are
/// a hash of the canonical JSON without resources, checkpoints, paths, run_id, repetition, point,
/// study and schema version. A path or a checkpoint setting that is an axis of the study is part of
/// the hash, with its variables not expanded. The hash does not change if the study is planned
/// again, on another site or with more repetitions.
std::string run_hash(const RunSpec& spec);

/// Returns `<slug>-<run_hash>-r<repetition>`. The slug shows framework, model, LR schedule, GPUs
/// and batch.
std::string make_run_id(const RunSpec& spec);

/// Returns a SHA-256 of everything that decides what a run computes. If two descriptions have the
/// same hash, each run can resume from the checkpoint of the other run. The hash leaves out
/// resources and paths, as the run id does. The paths of weights and scripts are part of the hash
/// because they are part of the run id. Their variables are not expanded in the hash.
std::string description_hash(const RunSpec& spec);

/// Returns a SHA-256 of the settings that decide how fast a run processes samples on a given number
/// of GPUs: the run's identity without the number of GPUs, the batch, the length of the run, the
/// learning rate, the seed, the size of the data set, the launcher and the log format. The
/// throughput of a run applies to another run with the same batch if both runs have the same
/// hash. The learning rate and its schedule are part of the hash if they are axes of the study.
std::string work_hash(RunSpec spec);

/// Returns the run id of a repetition of a point.
std::string run_id_of(std::string_view point_id, int repetition);

/// Returns the hash at the end of a point's id, or the whole id if it has no hash.
std::string_view point_hash(std::string_view point_id);

/// Returns the run id without its `-r<k>` ending. All repetitions of a point share this id.
std::string point_id(std::string_view run_id);

}  // namespace dlscale::contract
