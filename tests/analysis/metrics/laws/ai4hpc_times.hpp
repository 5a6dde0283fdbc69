// SPDX-License-Identifier: Apache-2.0
// Epoch times of a published weak-scaling benchmark on up to 3,664 GPUs, in seconds. The model is a
// convolutional autoencoder, and the mean excludes the first two epochs. Source: AI4HPC / CoE
// RAISE, BENCHMARKS/Results/*.ipynb of github.com/okrochak/nasalCavitySegmentation at f510a18
// (2023).
#pragma once

#include <string>
#include <vector>

#include "analysis/metrics/laws/fit.hpp"

namespace dlscale::test {

inline analysis::LawData ai4hpc(const std::string& series, double most_gpus = 1e9) {
  std::vector<analysis::LawPoint> all;
  if (series == "ddp") {
    all = {{4, 50.93},   {8, 51.61},   {16, 51.91},   {32, 52.19},   {64, 52.62},   {128, 52.74},
           {256, 53.11}, {512, 53.47}, {1024, 54.16}, {1536, 54.65}, {2048, 55.19}, {2400, 55.51}};
  } else if (series == "horovod") {
    all = {{4, 45.86},    {8, 45.85},    {16, 45.90},  {32, 46.39},   {64, 46.42},
           {128, 46.42},  {256, 47.32},  {512, 46.91}, {1024, 47.43}, {2048, 47.24},
           {2400, 47.27}, {3072, 47.23}, {3664, 47.30}};
  } else if (series == "container") {
    all = {{4, 44.91},   {8, 45.08},   {16, 45.18},  {32, 45.69},  {64, 45.82},
           {128, 45.96}, {256, 46.27}, {512, 47.12}, {1024, 47.29}};
  } else if (series == "jureca") {
    all = {{4, 54.46}, {8, 54.87}, {16, 55.13}, {32, 55.72}, {64, 55.95}};
  } else if (series == "cte-amd") {
    all = {{2, 56.27}, {4, 56.93}, {8, 57.18}, {16, 57.28}, {32, 59.57}};
  } else if (series == "deep-esb") {
    all = {{1, 36.66}, {2, 40.26}, {4, 42.82}, {8, 45.74}, {16, 52.62}};
  }
  std::erase_if(all, [&](const analysis::LawPoint& point) { return point.gpus > most_gpus; });
  return {analysis::Work::PerGpu, all};
}

}  // namespace dlscale::test
