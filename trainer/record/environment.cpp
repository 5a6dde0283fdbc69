// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/environment.hpp"

#include <malloc.h>

#include <fstream>
#include <limits>

namespace dlscale::trainer {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string keep_freed_memory() {
  constexpr int kLargest = std::numeric_limits<int>::max();
  constexpr int kTopPadBytes = 256 << 20;
  // Older versions of glibc accept at most 32 MiB as the size from which blocks are mapped.
  const bool unmapped =
      mallopt(M_MMAP_THRESHOLD, kLargest) == 1 || mallopt(M_MMAP_THRESHOLD, 32 << 20) == 1;
  const bool kept = mallopt(M_TRIM_THRESHOLD, kLargest) == 1;
  const bool padded = mallopt(M_TOP_PAD, kTopPadBytes) == 1;
  return unmapped && kept && padded ? "malloc keeps freed memory" : "malloc as the system sets it";
}

}  // namespace dlscale::trainer
