// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/kernel_watch.hpp"

#include <c10/core/Device.h>

#include <algorithm>
#include <array>

#include "trainer/profile/gpu_watch.hpp"
#include "trainer/profile/operator_watch.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::array kCommunication{"nccl", "Memcpy PtoP"};
constexpr std::array kIo{"Memcpy HtoD", "Memcpy DtoH"};
constexpr std::array kComputation{"conv",  "mm",        "gemv",       "cudnn",    "xmma",
                                  "wgrad", "dgrad",     "fprop",      "winograd", "batch_norm",
                                  "bn_",   "batchnorm", "layer_norm", "pool",     "softmax"};

}  // namespace

KernelKind kind_of(std::string_view kernel) {
  const auto names_one_of = [kernel](const auto& words) {
    return std::any_of(words.begin(), words.end(),
                       [kernel](const char* word) { return kernel.find(word) != kernel.npos; });
  };
  if (names_one_of(kCommunication)) return KernelKind::communication;
  if (names_one_of(kIo)) return KernelKind::io;
  return names_one_of(kComputation) ? KernelKind::computation : KernelKind::other;
}

std::unique_ptr<KernelWatch> watch_kernels(const c10::Device& device) {
  return device.is_cuda() ? make_gpu_watch() : make_operator_watch();
}

}  // namespace dlscale::trainer
