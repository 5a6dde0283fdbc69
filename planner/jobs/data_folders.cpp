// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/data_folders.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "planner/site/device_reader.hpp"
#include "predict/workload.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;

const contract::ModelCard* CardFolder::card(const contract::RunSpec& run) {
  const auto shape = predict::sample_shape(run.dataset);
  if (!folder_ || !shape) return nullptr;
  const std::string name = predict::card_file_name(run, *shape);
  auto known = known_.find(name);
  if (known == known_.end()) {
    std::optional<contract::ModelCard> found;
    const fs::path file = *folder_ / name;
    std::error_code unreadable;
    if (fs::is_regular_file(file, unreadable)) {
      found = contract::model_card_from_json(base::read_text_file(file), file.string());
      if (found->options != run.model_options) {
        throw base::SpecError({file.string()}, "options",
                              "the file name and the cost model state different settings; write "
                              "the file again with dlscale-train --describe");
      }
    }
    known = known_.emplace(name, std::move(found)).first;
  }
  return known->second ? &*known->second : nullptr;
}

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
  // Default latency of a hop between nodes, for sites that do not state a latency. The value is
  // that of NCCL's rings. Source: nccl/src/graph/tuning.cc.
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
