// SPDX-License-Identifier: Apache-2.0
// `dlscale-bench kernels`: how long the kernels of layers take on a device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/records/bench_record.hpp"
#include "trainer/bench/kernel_sizes.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {

// What benchmarks run on, by the names that records have.

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

struct KernelBench {
  std::string device = "cpu";
  int cores = 0;                     ///< of a processor; 0: all that there are for this process
  std::vector<std::string> kernels;  ///< of kernel_classes()
  SizeRanges ranges;
  std::string precision = "fp32";
  int samples = 200;       ///< sizes of each kernel
  double seconds = 0.05;   ///< of measuring each
  double budget_s = 0;     ///< none is begun later; 0: no end
  std::uint64_t seed = 1;  ///< of the sizes
  std::string file;        ///< lines are appended to it; what it has is not measured again
};

extern const char* const kKernelBenchUsage;

/// From the arguments behind `dlscale-bench kernels`. Throws base::UsageError.
KernelBench read_kernel_bench(const std::vector<std::string>& arguments);

/// How a benchmark ended.
struct KernelBenchEnd {
  int measured = 0;
  int had = 0;          ///< were in the file
  int left_out = 0;     ///< the device had no memory for, or no kernel
  std::string reason;   ///< of the last that was left out
  bool in_time = true;  ///< false: the budget was over
};

/// Told of each measurement as it is made, and of what comes next.
struct KernelBenchEvents {
  std::function<void(const contract::KernelSample&)> found;
  std::function<void(int done, int all, const std::string& next, int had)> next;
};

/// Kernels take turns, so that an interrupted file has as many sizes of each. `had`: measurements
/// of this device to go on from.
KernelBenchEnd measure_kernels(const KernelBench& bench, BenchDevice& device,
                               const std::vector<contract::KernelSample>& had,
                               const KernelBenchEvents& events, const base::Clock& clock);

/// The whole mode: measures, appends, shows how far it is; returns the table that is to be printed.
/// Throws base::Error.
std::string bench_kernels(const KernelBench& bench);

}  // namespace dlscale::trainer
