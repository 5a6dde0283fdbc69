// SPDX-License-Identifier: Apache-2.0
// Kernels to measure and the sizes at which they are measured: the ranges of Barrachina et al.,
// table 3, plus sizes that occur in the models of this program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trainer/data/random_stream.hpp"

namespace dlscale::trainer {

/// Size of a kernel call, in the form of contract::KernelTime::size.
using KernelSize = std::map<std::string, double>;

/// Shape of the data that a kernel processes, which determines the keys of its sizes.
enum class KernelShape {
  convolution,  ///< b, c_in, c_out, h_in, h_out, kernel, stride; square images and filters
  pool,         ///< b, c, h_in, h_out, kernel, stride
  image,        ///< b, c, h_in
  matrix,       ///< b, inputs, outputs
  row,          ///< b, outputs
  vector,       ///< n
};

/// Class of kernels whose times are learned by one model.
struct KernelClass {
  const char* name;  ///< contract::KernelTime::kernel
  KernelShape shape;
  double published_error;  ///< error (RE) in the paper, for example 0.15, 0 if not reported
};

const std::vector<KernelClass>& kernel_classes();
/// Returns the keys of a size in the order of the model inputs.
const std::vector<std::string>& inputs_of(KernelShape shape);

/// Ranges from which sizes are drawn.
struct SizeRanges {
  /// Values for each key. For b, c (channels), h (height and width), kernel, stride, pad and f
  /// (values of a linear layer), one value of the list is drawn. For n (values of a vector), a
  /// value between the smallest and the largest is drawn, uniformly on a logarithmic scale.
  std::map<std::string, std::vector<std::int64_t>> values;
  double most_bytes = 0;  ///< byte limit for all arrays of a kernel together
  double most_flop = 0;   ///< limit on operations, a multiply-add counts as 2
};

/// Returns the published ranges, extended and limited to kernels that such a device computes in
/// about a second.
SizeRanges usual_ranges(const std::string& device);

/// Returns the bytes of the arrays that a call uses, in fp32, including gradients.
double bytes_of_kernel(KernelShape shape, const KernelSize& size);
/// Returns the operations of convolutions and matrix products, and 0 for other kernels.
double flop_of_kernel(KernelShape shape, const KernelSize& size);

/// Sampler of different sizes of one class. The sequence depends only on the seed.
class SizeSampler {
 public:
  SizeSampler(const KernelClass& kernel, const SizeRanges& ranges, std::uint64_t seed);
  /// Returns the next size. Returns nullopt when no further size within the limits was found.
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
