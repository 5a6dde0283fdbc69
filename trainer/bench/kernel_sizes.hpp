// SPDX-License-Identifier: Apache-2.0
// Which kernels of layers are measured, and at which sizes: the ranges of Barrachina et al., table
// 3, and what the zoo's models have beyond.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trainer/data/random_stream.hpp"

namespace dlscale::trainer {

/// What a kernel is called with, as contract::KernelTime::size.
using KernelSize = std::map<std::string, double>;

/// What a kernel works on, hence what its sizes are.
enum class KernelShape {
  convolution,  ///< b, c_in, c_out, h_in, h_out, kernel, stride; images and filters are square
  pool,         ///< b, c, h_in, h_out, kernel, stride
  image,        ///< b, c, h_in
  matrix,       ///< b, inputs, outputs
  row,          ///< b, outputs
  vector,       ///< n
};

/// Kernels whose time one model learns.
struct KernelClass {
  const char* name;  ///< contract::KernelTime::kernel
  KernelShape shape;
  double published_error;  ///< the paper's RE of such kernels, 0.15; 0: it has none
};

const std::vector<KernelClass>& kernel_classes();
/// In the order in which a model takes them.
const std::vector<std::string>& inputs_of(KernelShape shape);

/// What sizes are drawn from.
struct SizeRanges {
  /// b, c (channels), h (height and width), kernel, stride, pad, f (values of a linear layer): one
  /// of the list; n (values of a vector): between the least and the most, evenly on a logarithmic
  /// axis.
  std::map<std::string, std::vector<std::int64_t>> values;
  double most_bytes = 0;  ///< of all arrays of a kernel together
  double most_flop = 0;   ///< a multiply-add is 2
};

/// The published ranges, widened; bounded by what such a device does in about a second.
SizeRanges usual_ranges(const std::string& device);

/// Arrays that a call works on, fp32, gradients included.
double bytes_of_kernel(KernelShape shape, const KernelSize& size);
/// Of convolutions and matrix products; 0 of others.
double flop_of_kernel(KernelShape shape, const KernelSize& size);

/// Different sizes of a class, one after the other: the same for the same seed.
class SizeSampler {
 public:
  SizeSampler(const KernelClass& kernel, const SizeRanges& ranges, std::uint64_t seed);
  /// Nothing where no further size was found that lies in the bounds.
  std::optional<KernelSize> next();

 private:
  std::optional<KernelSize> draw();
  double pick(const char* key);
  double pick_vector();
  std::optional<KernelSize> draw_window(bool convolution);

  KernelShape shape_;
  const SizeRanges& ranges_;
  RandomStream random_;
  std::set<KernelSize> drawn_;
};

}  // namespace dlscale::trainer
