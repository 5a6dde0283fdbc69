// SPDX-License-Identifier: Apache-2.0
// Finds the model cards and devices in a folder by the model, data and GPUs of a run.
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

// Model cards of a folder.
class CardFolder {
 public:
  /// Accepts an empty `folder`. The folder then has no cards.
  explicit CardFolder(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// Returns the card for the model, the shape of the data and the precision of a run, or null when
  /// the folder does not have such a card. Reads each card once. Throws base::SpecError for a
  /// broken card.
  const contract::ModelCard* card(const contract::RunSpec& run);

 private:
  std::optional<std::filesystem::path> folder_;
  std::map<std::string, std::optional<contract::ModelCard>> known_;  ///< cards by file name
};

// The following declarations convert the GPUs and links of partitions to inputs of predictions.

/// Devices of a folder. Each device is read once.
class DeviceFolder {
 public:
  /// Accepts an empty `folder`. The folder then has no devices.
  explicit DeviceFolder(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// Returns the device that find_device() finds for `name`. Throws the errors of find_device().
  /// Requires a folder.
  const predict::Device& named(const std::string& name);

  /// Returns the GPU of a partition, or null without a folder, without a partition, and for a
  /// partition that does not name its GPU. Throws base::UsageError for a GPU that is not in the
  /// folder, and base::SpecError for a broken file.
  const predict::Device* gpu_of(const Partition* partition);

 private:
  std::optional<std::filesystem::path> folder_;
  std::map<std::string, predict::Device> known_;  ///< devices by the requested name
};

/// Returns the hardware with this device on the nodes of a partition, or on a single machine when
/// `partition` is null. A node has the number of GPUs that the partition states, otherwise an
/// unlimited number. A link between nodes has no bandwidth when the partition does not state the
/// bandwidth.
predict::Hardware hardware_of(predict::Device device, const Partition* partition);

}  // namespace dlscale::planner
