// SPDX-License-Identifier: Apache-2.0
// Command `dlscale-bench fit`, which turns measured kernels into learned kernel times in a
// calibration file.
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
  std::string output;              ///< calibration file to create, or whose kernels to replace
  Teaching teaching;
};

extern const char* const kKernelFitUsage;

/// Reads the arguments after `dlscale-bench fit`. Throws base::UsageError.
KernelFit read_kernel_fit(const std::vector<std::string>& arguments);

/// Replaces the kernels and models in `calibration`. Fits a model for each kernel and precision
/// with at least kFewestSizes measured sizes. When a size was measured several times, the last time
/// counts. Calls `told` with the name of each kernel before its model is fitted. Throws
/// base::UsageError when the samples belong to several devices or to another device than the
/// calibration, or when no model can be fitted.
void fit_into(contract::Calibration& calibration,
              const std::vector<contract::KernelSample>& samples, const Teaching& teaching,
              const std::function<void(int done, int all, const std::string& kernel)>& told);

/// Runs the whole command: reads the files and writes the calibration. Returns the table to print.
/// Throws base::Error.
std::string fit_kernels(const KernelFit& fit);

}  // namespace dlscale::trainer
