// SPDX-License-Identifier: Apache-2.0
#include "trainer/device/core_groups.hpp"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <mutex>
#include <tuple>

#include "base/text.hpp"

namespace dlscale::trainer {

void use_threads(int cores) {
  at::set_num_threads(cores);
  // LibTorch allows only one change of this setting in a process, so only the first call of
  // use_threads() changes the setting. Later calls come from other devices of the process and, in
  // tests, from ranks that run as threads of this process. All calls need the same value.
  static std::once_flag is_set;
  std::call_once(is_set, [] {
    if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
  });
}

namespace {

constexpr int kMostProcessors = 8192;

/// Set of processors for the affinity calls of Linux. The set can hold more processors than a
/// cpu_set_t.
struct Mask {
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set{
      CPU_ALLOC(kMostProcessors), [](cpu_set_t* allocated) { CPU_FREE(allocated); }};
  std::size_t size = CPU_ALLOC_SIZE(kMostProcessors);
  Mask() { CPU_ZERO_S(size, set.get()); }
};

/// Returns the number of the first hardware thread on the core of `processor`. Returns `processor`
/// when the system does not report the topology.
int core_of(int processor) {
  std::ifstream file(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", processor));
  int first = processor;
  return file >> first ? first : processor;
}

std::size_t cores_of(const std::vector<Processor>& processors) {
  std::vector<int> cores;
  for (const Processor& each : processors) cores.push_back(each.core);
  return static_cast<std::size_t>(std::unique(cores.begin(), cores.end()) - cores.begin());
}

}  // namespace

std::vector<Processor> usable_processors() {
  Mask mask;
  std::vector<Processor> usable;
  if (::sched_getaffinity(0, mask.size, mask.set.get()) != 0) return usable;
  for (int number = 0; number < kMostProcessors; ++number) {
    if (CPU_ISSET_S(number, mask.size, mask.set.get())) usable.push_back({number, core_of(number)});
  }
  std::sort(usable.begin(), usable.end(), [](const Processor& a, const Processor& b) {
    return std::tie(a.core, a.number) < std::tie(b.core, b.number);
  });
  return usable;
}

CoreGroups deal_out(const std::vector<Processor>& processors, int groups, int cores_each) {
  const auto wanted = static_cast<std::size_t>(groups) * static_cast<std::size_t>(cores_each);
  const std::size_t cores = cores_of(processors);
  CoreGroups dealt;
  dealt.words =
      fmt::format("{} of {}", base::count_of(groups, "device"), base::count_of(cores_each, "core"));
  if (processors.size() != wanted && cores != wanted) {
    dealt.words += processors.size() < wanted
                       ? fmt::format(" share the usable processors ({})", processors.size())
                       : fmt::format(", not bound (usable processors: {})", processors.size());
    return dealt;
  }
  dealt.words += ", each bound to its own cores";
  const std::size_t each = processors.size() / static_cast<std::size_t>(groups);
  for (std::size_t i = 0; i < static_cast<std::size_t>(groups); ++i) {
    std::vector<int>& group = dealt.processors.emplace_back();
    for (std::size_t j = i * each; j < (i + 1) * each; ++j) group.push_back(processors[j].number);
  }
  return dealt;
}

void bind_to(const std::vector<int>& processors) {
  Mask mask;
  for (const int number : processors) CPU_SET_S(number, mask.size, mask.set.get());
  // The result is ignored, because the binding only improves the speed. If the process may no
  // longer use these processors, the thread continues on the processors that remain.
  ::sched_setaffinity(0, mask.size, mask.set.get());
}

}  // namespace dlscale::trainer
