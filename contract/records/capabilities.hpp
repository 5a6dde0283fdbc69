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
  /// Kind of samples: images, text; "any" if a loader accepts all kinds.
  std::string samples;
  std::string task;              ///< task of a model, or task that a data set has targets for
  bool input_is_target = false;  ///< model: true if the input is also the target
  bool smooths_labels = false;   ///< model: true if label_smoothing has an effect
  bool is_residual = false;      ///< model: true if it consists of residual blocks
  bool has_dropout = false;      ///< model: true if its forward pass always draws random numbers
  bool is_one_block = false;     ///< model: true if it cannot be divided into stages
  bool is_generated = false;     ///< data set: true if it has no files
  bool augments = false;         ///< loader: true if it crops and mirrors images
  /// For a data set: true if its images may have any size. For a loader: true if it converts images
  /// to one size.
  bool any_size = false;
  /// For a loader: true if it takes samples from memory. Such a loader decodes no images, unless
  /// dataset.image_size is set and any_size is true.
  bool is_in_memory = false;
  bool needs_gpu = false;  ///< loader: true if the rank's GPU produces the batches
  std::string shape;       ///< data set: shape of its images, "1x28x28"; empty = any
  /// For a generated data set: number of training samples if the run does not set a number.
  std::int64_t train_samples = 0;
  int smallest_side = 0;      ///< model: minimum side of an image in pixels; 0 = any
  int side_multiple = 0;      ///< model: divisor of both sides of an image; 0 = none
  std::vector<int> channels;  ///< model: accepted numbers of channels; empty = any
  int blocks = 0;             ///< model: maximum number of stages; 0 = unknown
  bool operator==(const Traits&) const = default;
};

struct Capabilities {
  std::string version;
  /// Versions of libraries: "torch": "2.11.0", "mpi": "…".
  std::map<std::string, std::string> built_with;
  /// Names of models, loaders and so on by family (contract/run_spec/vocabulary.hpp).
  std::map<std::string, std::vector<std::string>> families;
  /// Traits by family (model, dataset, loader) and name. All models in script files have the name
  /// kScriptModel.
  std::map<std::string, std::map<std::string, Traits>> traits = {};
  bool has(std::string_view family, std::string_view name) const;
  /// Returns the traits, or null if the build states none.
  const Traits* traits_of(const std::string& family, const std::string& name) const;
  bool operator==(const Capabilities&) const = default;
};

std::string to_json(const Capabilities& capabilities);
/// Reads capabilities. Throws base::SpecError for an invalid text. `file` is only used in messages.
Capabilities capabilities_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
