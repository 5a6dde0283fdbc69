// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/device_folder.hpp"

#include <limits>

#include "planner/site/device_reader.hpp"

namespace dlscale::planner {

const predict::Device& DeviceFolder::named(const std::string& name) {
  auto known = known_.find(name);
  if (known == known_.end()) known = known_.emplace(name, find_device(name, folder_.value())).first;
  return known->second;
}

const predict::Device* DeviceFolder::gpu_of(const Partition* partition) {
  if (!folder_ || partition == nullptr || partition->gpu.empty()) return nullptr;
  return &named(partition->gpu);
}

predict::Hardware hardware_of(predict::Device device, const Partition* partition) {
  // A hop of NCCL's rings between nodes where the site does not say it: nccl/src/graph/tuning.cc.
  constexpr predict::Seconds kUsualHop = predict::microseconds(14);
  predict::Hardware hardware{.device = std::move(device)};
  hardware.network = {hardware.device.peer, {kUsualHop, {}}};
  hardware.gpus_per_node = partition == nullptr || partition->gpus_per_node == 0
                               ? std::numeric_limits<int>::max() / 2
                               : partition->gpus_per_node;
  if (partition == nullptr) return hardware;
  predict::Link& link = hardware.network.between;
  link.bandwidth = predict::gigabits_per_s(partition->link_gbit_s);
  if (partition->link_latency_us > 0) {
    link.latency = predict::microseconds(partition->link_latency_us);
  }
  if (partition->link_all_reduce == "ring") hardware.network.algorithm = predict::AllReduce::ring;
  if (partition->link_all_reduce == "tree") hardware.network.algorithm = predict::AllReduce::tree;
  return hardware;
}

}  // namespace dlscale::planner
