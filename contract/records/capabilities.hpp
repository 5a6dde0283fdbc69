// SPDX-License-Identifier: Apache-2.0
// Defines the capabilities of a trainer build, which `dlscale-train --capabilities` writes and
// `dlscale plan` reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Properties of a model, a data set or a loader that decide which combinations are possible. Each
/// family uses only some of the fields.
struct Traits {
  std::string samples;           ///< kind of samples: images, text; a loader may accept any
  std::string task;              ///< task of a model, or task that the targets of a data set serve
  bool input_is_target = false;  ///< model: true if the input is also the target
  bool smooths_labels = false;   ///< model: true if label_smoothing has an effect
  bool is_residual = false;      ///< model: true if it consists of residual blocks
  bool has_dropout = false;      ///< model: true if its passes always draw random numbers
  bool is_one_block = false;     ///< model: true if it cannot be divided into stages
  bool is_generated = false;     ///< data set: true if it has no files
  bool augments = false;         ///< loader: true if it crops and mirrors images
  /// Data set: true if its images may have any size. Loader: true if it converts images to one
  /// size.
  bool any_size = false;
  /// Loader: true if it takes samples from memory, unless dataset.image_size makes it produce
  /// images.
  bool is_in_memory = false;
  bool needs_gpu = false;  ///< loader: true if the rank's GPU produces the batches
  std::string shape;       ///< data set: shape of its images, "1x28x28"; empty = any
  /// Generated data set: number of its samples if the run states no number.
  std::int64_t train_samples = 0;
  int smallest_side = 0;      ///< model: minimum side of an image in pixels; 0 = any
  int side_multiple = 0;      ///< model: divisor of both sides of an image; 0 = none
  std::vector<int> channels;  ///< model: accepted numbers of channels; empty = any
  int blocks = 0;             ///< model: maximum number of stages; 0 = unknown
  bool operator==(const Traits&) const = default;
};

struct Capabilities {
  std::string version;
  std::map<std::string, std::string> built_with;  ///< versions: "torch": "2.11.0", "mpi": "…"
  std::map<std::string, std::vector<std::string>> families;  ///< family → names (see vocabulary)
  /// Traits by family and name, for models (scripts too, as kScriptModel), data sets and loaders.
  std::map<std::string, std::map<std::string, Traits>> traits = {};
  bool has(std::string_view family, std::string_view name) const;
  /// Returns the traits, or null if the build states none.
  const Traits* traits_of(const std::string& family, const std::string& name) const;
  bool operator==(const Capabilities&) const = default;
};

std::string to_json(const Capabilities& capabilities);
/// Reads capabilities. Throws base::SpecError. `file` is only used in messages.
Capabilities capabilities_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
