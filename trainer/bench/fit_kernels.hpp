// SPDX-License-Identifier: Apache-2.0
// Command `dlscale-bench fit`. The command trains models that predict kernel times from measured
// kernel times, and writes the models to a calibration file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/records/bench_record.hpp"
#include "contract/records/calibration.hpp"
#include "trainer/bench/kernel_regressor.hpp"

namespace dlscale::trainer {

struct KernelFit {
  std::vector<std::string> files;  ///< files written by dlscale-bench kernels
  std::string output;  ///< calibration file to create, or to update with the new kernels
  Teaching teaching;
};

extern const char* const kKernelFitUsage;

/// Reads the arguments after `dlscale-bench fit`. Throws base::UsageError for an invalid argument.
KernelFit read_kernel_fit(const std::vector<std::string>& arguments);

/// Replaces the kernel times and the kernel models in `calibration`. Fits a model for each
/// combination of kernel and precision that has at least kFewestSizes measured sizes. When a size
/// was measured several times, only the last measurement counts. Calls `told` with the name of each
/// kernel before the model of the kernel is fitted. Throws base::UsageError when the samples come
/// from several devices or have different values of --rotate, when they come from another device
/// than the calibration, or when no model can be fitted.
void fit_into(contract::Calibration& calibration,
              const std::vector<contract::KernelSample>& samples, const Teaching& teaching,
              const std::function<void(int done, int all, const std::string& kernel)>& told);

/// Runs the whole command: reads the measurement files, fits the models and writes the calibration
/// file. Returns the table to print. Throws base::Error on failure.
std::string fit_kernels(const KernelFit& fit);

}  // namespace dlscale::trainer
