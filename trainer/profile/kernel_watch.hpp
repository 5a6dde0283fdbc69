// SPDX-License-Identifier: Apache-2.0
// What runs on a rank's device, for how long: operators on a CPU, kernels on a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace c10 {
struct Device;
}

namespace dlscale::trainer {

enum class KernelKind { communication, io, computation, other };
inline constexpr int kKernelKinds = 4;
inline constexpr const char* kKernelKindNames[kKernelKinds] = {"communication", "io", "computation",
                                                               "other"};

/// By its name. Computation is what cuDNN and cuBLAS do: convolutions, products of matrices,
/// normalisation, pools, softmax; communication NCCL's and copies between GPUs; I/O copies between
/// host and GPU.
KernelKind kind_of(std::string_view kernel);

/// All calls of one kernel.
struct KernelTime {
  std::string name;
  KernelKind kind = KernelKind::other;
  std::int64_t calls = 0;
  double self_s = 0;  ///< without the kernels it called
};

/// Watches from its making on. One at a time in a thread.
class KernelWatch {
 public:
  virtual ~KernelWatch() = default;
  /// Ends the watch. In no order.
  virtual std::vector<KernelTime> stop() = 0;
};

/// To be stopped by the thread that makes it.
std::unique_ptr<KernelWatch> watch_kernels(const c10::Device& device);

}  // namespace dlscale::trainer
