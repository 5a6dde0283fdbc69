// SPDX-License-Identifier: Apache-2.0
// The model cards and devices of a folder, found by what a run trains and where.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/site/site.hpp"
#include "predict/training_model.hpp"

namespace dlscale::planner {

// The model cards of a folder, found by what a run trains.
class CardFolder {
 public:
  /// Without a folder there is no card.
  explicit CardFolder(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// Null where the folder has none for the model, the shape of its data and its precision. Each is
  /// read once. Throws base::SpecError for a broken one.
  const contract::ModelCard* card(const contract::RunSpec& run);

 private:
  std::optional<std::filesystem::path> folder_;
  std::map<std::string, std::optional<contract::ModelCard>> known_;  ///< by file name
};

// What the GPUs and links of partitions are to predictions.

/// The devices of a folder. Each is read once.
class DeviceFolder {
 public:
  /// Without a folder there is no device.
  explicit DeviceFolder(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// As find_device() has it, with what that throws. There must be a folder.
  const predict::Device& named(const std::string& name);

  /// Null without a partition, and for one that does not name its GPU. Throws base::UsageError for
  /// a GPU that is not in the folder, base::SpecError for a broken file.
  const predict::Device* gpu_of(const Partition* partition);

 private:
  std::optional<std::filesystem::path> folder_;
  std::map<std::string, predict::Device> known_;  ///< by the name that was asked for
};

/// Such devices on the nodes of a partition, or on one machine where it is null: as many on a node
/// as it says, else without a limit. A link between nodes that it does not say has no bandwidth.
predict::Hardware hardware_of(predict::Device device, const Partition* partition);

}  // namespace dlscale::planner
