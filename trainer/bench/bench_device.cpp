// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_device.hpp"

#include <unistd.h>

#include <array>
#include <set>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "contract/version.hpp"
#include "trainer/about/build_info.hpp"
#include "trainer/device/core_groups.hpp"
#include "trainer/device/gpu.hpp"
#include "trainer/record/environment.hpp"

namespace dlscale::trainer {
namespace {

int usable_cores() {
  std::set<int> cores;
  for (const Processor& each : usable_processors()) cores.insert(each.core);
  return static_cast<int>(cores.size());
}

}  // namespace

BenchDevice open_bench_device(const std::string& kind, int local_rank, int cores) {
  const DeviceEntry& entry = base::find(device_table(), "device", kind);
  if (entry.unavailable != nullptr) {
    throw base::RunError(entry.unavailable, contract::kExitBadRunDescription);
  }
  BenchDevice opened{.kind = kind};
  const int threads = cores > 0 ? cores : usable_cores();
  opened.device = entry.make({.local_rank = local_rank, .cores = threads});
  if (kind == "cpu") {
    opened.name = cpu_model();
    opened.threads = threads;
  } else {
    opened.name = gpu_name(local_rank);
  }
  return opened;
}

std::string this_host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::map<std::string, std::string> bench_made_with() {
  std::map<std::string, std::string> made{{"dlscale", contract::version()}};
  for (const auto& [key, value] : built_with()) {
    const bool is_part = key == "torch" || key == "mpi" || key == "cuda";
    if (is_part && !value.empty() && value != "no") made[key] = value;
  }
  return made;
}

}  // namespace dlscale::trainer
