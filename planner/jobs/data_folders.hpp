// SPDX-License-Identifier: Apache-2.0
// Finds the cost model of a run and the data sheet of a GPU in folders.
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

// Folder with the cost models of networks (model cards).
class CardFolder {
 public:
  /// Accepts an empty `folder`. Then there are no cost models.
  explicit CardFolder(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// Returns the cost model for the network with its settings, the shape of the data and the
  /// precision of a run, or null if the folder does not contain the cost model. Reads each file
  /// once. Throws base::SpecError for a broken file, and for a file whose name and cost model state
  /// different settings.
  const contract::ModelCard* card(const contract::RunSpec& run);

 private:
  std::optional<std::filesystem::path> folder_;
  std::map<std::string, std::optional<contract::ModelCard>> known_;  ///< cost models by file name
};

// The following declarations convert the GPUs and links of partitions to inputs of predictions.

/// Devices of a folder. Each device is read once.
class DeviceFolder {
 public:
  /// Accepts an empty `folder`. Then there are no devices.
  explicit DeviceFolder(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// Returns the device with this name or file, as find_device() does. Throws the errors of
  /// find_device(). Requires a folder.
  const predict::Device& named(const std::string& name);

  /// Returns the GPU of a partition. Returns null without a folder, without a partition, and for a
  /// partition that does not name its GPU. Throws base::UsageError for a GPU that is not in the
  /// folder, and base::SpecError for a broken file.
  const predict::Device* gpu_of(const Partition* partition);

 private:
  std::optional<std::filesystem::path> folder_;
  std::map<std::string, predict::Device> known_;  ///< devices by the requested name
};

/// Returns the hardware for predictions: this device on the nodes of a partition, or on a single
/// machine if `partition` is null. If the partition does not state the number of GPUs per node, the
/// number is unlimited. If the partition does not state the bandwidth of the links between nodes,
/// the bandwidth is 0.
predict::Hardware hardware_of(predict::Device device, const Partition* partition);

}  // namespace dlscale::planner
