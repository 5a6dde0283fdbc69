// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/transfer.hpp"

namespace dlscale::analysis {

double published_values_per_epoch(double samples, double global_batch, double parameters) {
  return samples / global_batch * parameters;
}

double ring_bytes_per_epoch(double steps, int gpus, double parameters, double bytes_per_value) {
  return steps * 2 * (gpus - 1) / gpus * parameters * bytes_per_value;
}

}  // namespace dlscale::analysis
