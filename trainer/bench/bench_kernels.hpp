// SPDX-License-Identifier: Apache-2.0
// Command `dlscale-bench kernels`, which measures the duration of layer kernels on a device.
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

// Device that a benchmark runs on, with the names that appear in its records.

struct BenchDevice {
  std::unique_ptr<Device> device;
  std::string kind;  ///< device kind, "cpu" or "cuda"
  std::string name;  ///< name of the processor or GPU
  int threads = 0;   ///< number of threads, 0 for a GPU
};

/// Opens a device. `cores` is the number of threads of a CPU. 0 selects all cores that this process
/// may run on. Throws base::UsageError for an unknown kind, and base::RunError when this build or
/// machine has no such device.
BenchDevice open_bench_device(const std::string& kind, int local_rank, int cores);

std::string this_host();

/// Returns the versions of dlscale, torch, mpi and cuda. Leaves out components that this build
/// lacks.
std::map<std::string, std::string> bench_made_with();

struct KernelBench {
  std::string device = "cpu";
  int cores = 0;                     ///< number of CPU threads, 0 for all usable cores
  std::vector<std::string> kernels;  ///< names from kernel_classes()
  SizeRanges ranges;
  std::string precision = "fp32";
  int samples = 200;       ///< number of sizes per kernel
  double seconds = 0.05;   ///< measuring time per size
  double budget_s = 0;     ///< time limit for starting measurements, 0 for no limit
  std::uint64_t seed = 1;  ///< seed for drawing the sizes
  std::string file;        ///< file that receives the lines; its existing sizes are skipped
};

extern const char* const kKernelBenchUsage;

/// Reads the arguments after `dlscale-bench kernels`. Throws base::UsageError.
KernelBench read_kernel_bench(const std::vector<std::string>& arguments);

/// Result of a benchmark.
struct KernelBenchEnd {
  int measured = 0;
  int had = 0;          ///< number of sizes already in the file
  int left_out = 0;     ///< number of sizes skipped for lack of memory or of a kernel
  std::string reason;   ///< reason for the last skipped size
  bool in_time = true;  ///< false when the time budget ran out
};

/// Callbacks of a benchmark: `found` receives each measurement, and `next` the progress before each
/// size.
struct KernelBenchEvents {
  std::function<void(const contract::KernelSample&)> found;
  std::function<void(int done, int all, const std::string& next, int had)> next;
};

/// Measures the kernels in rounds, so that an interrupted file has equally many sizes of each
/// kernel. `had` holds existing measurements of this device, whose sizes are skipped.
KernelBenchEnd measure_kernels(const KernelBench& bench, BenchDevice& device,
                               const std::vector<contract::KernelSample>& had,
                               const KernelBenchEvents& events, const base::Clock& clock);

/// Runs the whole command: measures, appends lines and shows the progress. Returns the table to
/// print. Throws base::Error.
std::string bench_kernels(const KernelBench& bench);

}  // namespace dlscale::trainer
