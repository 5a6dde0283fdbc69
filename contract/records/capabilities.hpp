// SPDX-License-Identifier: Apache-2.0
// What a trainer build can do: `dlscale-train --capabilities`, read by `dlscale plan`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// What a model, a data set or a loader goes with; each family has only some of it.
struct Traits {
  std::string samples;  ///< that a set has, a model or loader takes: images, text; a loader: any
  std::string task;     ///< of models, and what the targets of a data set are for
  bool input_is_target = false;  ///< model: any data set of its samples will do
  bool smooths_labels = false;   ///< model: label_smoothing means something
  bool is_residual = false;      ///< model: it is made of residual blocks
  bool has_dropout = false;      ///< model: its passes draw random numbers, whatever its options
  bool is_one_block = false;     ///< model: it cannot be cut into stages
  bool is_generated = false;     ///< data set: it has no files
  bool augments = false;         ///< loader: it crops and mirrors images
  bool any_size = false;         ///< data set: its pictures may be; loader: it makes them one size
  /// Loader: it takes samples, unless dataset.image_size makes pictures of them, from memory.
  bool is_in_memory = false;
  bool needs_gpu = false;  ///< Loader: batches are made by the GPU of the rank.
  std::string shape;       ///< Data set: shape of its images, "1x28x28"; empty: any.
  std::int64_t train_samples =
      0;                      ///< Generated data set: its samples unless the run says a number.
  int smallest_side = 0;      ///< Model: fewest pixels that a side may have; 0: any number.
  int side_multiple = 0;      ///< Model: number that must divide both sides; 0: none.
  std::vector<int> channels;  ///< Model: numbers of channels it takes; empty: any number.
  int blocks = 0;             ///< Model: most stages it can be cut into; 0: not known.
  bool operator==(const Traits&) const = default;
};

struct Capabilities {
  std::string version;
  std::map<std::string, std::string> built_with;             ///< "torch": "2.11.0", "mpi": "…"
  std::map<std::string, std::vector<std::string>> families;  ///< family → names (see vocabulary)
  /// Family → name → traits, of models (scripts too, as kScriptModel), data sets and loaders.
  std::map<std::string, std::map<std::string, Traits>> traits = {};
  bool has(std::string_view family, std::string_view name) const;
  /// Null where nothing is said of it.
  const Traits* traits_of(const std::string& family, const std::string& name) const;
  bool operator==(const Capabilities&) const = default;
};

std::string to_json(const Capabilities& capabilities);
/// Throws base::SpecError; `file` is only named in messages.
Capabilities capabilities_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
