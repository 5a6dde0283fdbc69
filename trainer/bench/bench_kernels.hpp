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

// Device that a benchmark runs on, with the names of the device in the benchmark's records.

struct BenchDevice {
  std::unique_ptr<Device> device;
  std::string kind;  ///< device kind, "cpu" or "cuda"
  std::string name;  ///< name of the processor or GPU
  int threads = 0;   ///< number of threads, 0 for a GPU
};

/// Opens a device. On a CPU, `cores` is the number of threads, and 0 selects one thread for each
/// core that this process may use. Throws base::UsageError when `kind` is unknown, and
/// base::RunError when this build or this machine has no device of this kind.
BenchDevice open_bench_device(const std::string& kind, int local_rank, int cores);

std::string this_host();

/// Returns the versions of dlscale, torch, mpi and cuda. The result has no entry for a component
/// that this build does not contain.
std::map<std::string, std::string> bench_made_with();

/// Returns the value of --rotate in bytes with which a kernel was measured, and "0" if the option
/// was not set.
std::string rotation_of(const contract::KernelSample& sample);

struct KernelBench {
  std::string device = "cpu";
  int cores = 0;                     ///< number of CPU threads, 0 for all usable cores
  std::vector<std::string> kernels;  ///< names from kernel_classes()
  SizeRanges ranges;
  std::string precision = "fp32";
  int samples = 200;      ///< number of sizes per kernel
  double seconds = 0.05;  ///< measuring time per size, unless `repetitions` is set
  int repetitions = 0;    ///< number of measured calls per size, 0 for as many as fit in `seconds`
  /// Total bytes of the arrays between which the calls of a size alternate, 0 for one set of
  /// arrays.
  std::int64_t rotated_bytes = 0;
  double budget_s = 0;     ///< seconds after which no further measurement starts, 0 for no limit
  std::uint64_t seed = 1;  ///< seed for drawing the sizes
  std::string file;        ///< file for the measurements; sizes already in the file are skipped
};

extern const char* const kKernelBenchUsage;

/// Reads the arguments after `dlscale-bench kernels`. Throws base::UsageError for an invalid
/// argument.
KernelBench read_kernel_bench(const std::vector<std::string>& arguments);

/// Summary of a finished benchmark.
struct KernelBenchEnd {
  int measured = 0;
  int had = 0;          ///< number of sizes already in the file
  int left_out = 0;     ///< number of sizes skipped because of an error or the limits
  std::string reason;   ///< reason why the last skipped size was skipped
  bool in_time = true;  ///< false when the time budget ran out
};

/// Callbacks of a benchmark. `found` is called with each measurement. `next` is called with the
/// progress before each size is measured.
struct KernelBenchEvents {
  std::function<void(const contract::KernelSample&)> found;
  std::function<void(int done, int all, const std::string& next, int had)> next;
};

/// Measures the kernels in rounds, with one size of each kernel per round. If the benchmark is
/// interrupted, the file therefore contains about the same number of sizes for each kernel. `had`
/// holds the existing measurements of this device. Their sizes are skipped.
KernelBenchEnd measure_kernels(const KernelBench& bench, BenchDevice& device,
                               const std::vector<contract::KernelSample>& had,
                               const KernelBenchEvents& events, const base::Clock& clock);

/// Runs the whole command: measures the kernels, appends the measurements to the file and shows the
/// progress. Returns the table to print. Throws base::Error on failure.
std::string bench_kernels(const KernelBench& bench);

}  // namespace dlscale::trainer
