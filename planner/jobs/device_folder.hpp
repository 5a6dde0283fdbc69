// SPDX-License-Identifier: Apache-2.0
// The devices of a folder, found by the partitions that have them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "planner/site/site.hpp"
#include "predict/device.hpp"

namespace dlscale::planner {

class DeviceFolder {
 public:
  /// Without a folder there is no device.
  explicit DeviceFolder(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// Null without a partition, and for one that does not name its GPU. Each is read once. Throws
  /// base::UsageError for a GPU that is not in the folder, base::SpecError for a broken file.
  const predict::Device* gpu_of(const Partition* partition);

 private:
  std::optional<std::filesystem::path> folder_;
  std::map<std::string, predict::Device> known_;  ///< by the name that a partition gives
};

}  // namespace dlscale::planner
