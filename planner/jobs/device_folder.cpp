// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/device_folder.hpp"

#include "planner/site/device_reader.hpp"

namespace dlscale::planner {

const predict::Device* DeviceFolder::gpu_of(const Partition* partition) {
  if (!folder_ || partition == nullptr || partition->gpu.empty()) return nullptr;
  auto known = known_.find(partition->gpu);
  if (known == known_.end()) {
    known = known_.emplace(partition->gpu, find_device(partition->gpu, *folder_)).first;
  }
  return &known->second;
}

}  // namespace dlscale::planner
