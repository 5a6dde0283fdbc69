// SPDX-License-Identifier: Apache-2.0
// `dlscale-bench fit`: measured kernels to learned times in a calibration file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/records/bench_record.hpp"
#include "contract/records/calibration.hpp"
#include "trainer/bench/kernel_regressor.hpp"

namespace dlscale::trainer {

struct KernelFit {
  std::vector<std::string> files;  ///< as dlscale-bench kernels writes them
  std::string output;              ///< calibration file: made, or its kernels replaced
  Teaching teaching;
};

extern const char* const kKernelFitUsage;

/// From the arguments behind `dlscale-bench fit`. Throws base::UsageError.
KernelFit read_kernel_fit(const std::vector<std::string>& arguments);

/// Into `calibration`, whose kernels and models these replace: a model of each kernel and precision
/// that kFewestSizes or more sizes were measured of; of one size the last time counts. `told` gets
/// the name of each before it is taught. Throws base::UsageError where samples are of several
/// devices or of another than the calibration's, or where nothing can be taught.
void fit_into(contract::Calibration& calibration,
              const std::vector<contract::KernelSample>& samples, const Teaching& teaching,
              const std::function<void(int done, int all, const std::string& kernel)>& told);

/// The whole mode: reads the files, writes the calibration; returns the table to be printed. Throws
/// base::Error.
std::string fit_kernels(const KernelFit& fit);

}  // namespace dlscale::trainer
