// SPDX-License-Identifier: Apache-2.0
// What benchmarks run on, by the names that records have.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "trainer/device/device.hpp"

namespace dlscale::trainer {

struct BenchDevice {
  std::unique_ptr<Device> device;
  std::string kind;  ///< "cpu", "cuda"
  std::string name;  ///< the processor's or GPU's
  int threads = 0;   ///< that it computes with; 0: a GPU
};

/// `cores`: threads of a processor; 0: all that this process may run on. Throws base::UsageError
/// for an unknown kind, base::RunError where this build or machine has none.
BenchDevice open_bench_device(const std::string& kind, int local_rank, int cores);

std::string this_host();

/// dlscale, torch, mpi, cuda: versions; what is not there is left out.
std::map<std::string, std::string> bench_made_with();

}  // namespace dlscale::trainer
