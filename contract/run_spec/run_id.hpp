// SPDX-License-Identifier: Apache-2.0
// Names of runs: readable, short, and the same for the same description.
#pragma once

#include <string>
#include <string_view>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

/// Lower-case hexadecimal SHA-256 of `text`.
std::string sha256_hex(std::string_view text);

/// The text in characters that names of files may have: letters, digits and . _ -; others become _.
std::string file_word(std::string_view text);

/// What a model is called in names of runs: itself, or of a script's file the stem.
std::string model_word(std::string_view model);

/// 10 hexadecimal digits of what the training depends on: the canonical JSON without resources,
/// checkpoints, paths, run_id, repetition, point and schema version; a path or checkpoint that is
/// an axis of the study counts, as written. Planning again, on another site or with more
/// repetitions changes none.
std::string run_hash(const RunSpec& spec);

/// `<slug>-<run_hash>-r<repetition>`: the slug shows framework, model, LR schedule, GPUs and batch.
std::string make_run_id(const RunSpec& spec);

/// SHA-256 of all that decides what a run computes: of two descriptions with one hash, either can
/// go on with the other's checkpoint. As the run id, it leaves out resources and paths; those of
/// weights and scripts count as written, by the id, wherever their variables lead.
std::string description_hash(const RunSpec& spec);

/// The id of a point's repetition.
std::string run_id_of(std::string_view point_id, int repetition);

/// The hash at the end of a point's id; an id without one is returned as it is.
std::string_view point_hash(std::string_view point_id);

/// The id without its `-r<k>` ending: what repetitions of one point share.
std::string point_id(std::string_view run_id);

}  // namespace dlscale::contract
