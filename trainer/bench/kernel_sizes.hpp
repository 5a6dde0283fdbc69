// SPDX-License-Identifier: Apache-2.0
// Kernels to measure and the ranges of their sizes. The ranges are those of Barrachina et al.,
// table 3, extended by sizes that occur in the models of this program.
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
  convolution,  ///< keys: b, c_in, c_out, h_in, h_out, kernel, stride; square images and filters
  pool,         ///< keys: b, c, h_in, h_out, kernel, stride
  image,        ///< keys: b, c, h_in
  matrix,       ///< keys: b, inputs, outputs
  row,          ///< keys: b, outputs
  vector,       ///< key: n
};

/// Class of kernels. For each class and precision, one model learns to predict the kernel times.
struct KernelClass {
  const char* name;  ///< contract::KernelTime::kernel
  KernelShape shape;
  double published_error;  ///< relative error (RE) in the paper, 0.15 for 15 %, 0 if not reported
};

const std::vector<KernelClass>& kernel_classes();
/// Returns the keys of a size, in the order in which a model takes them as inputs.
const std::vector<std::string>& inputs_of(KernelShape shape);

/// Ranges from which sizes are drawn.
struct SizeRanges {
  /// Values for each key. For the keys b (batch size), c (channels), h (height and width), kernel,
  /// stride, pad and f (inputs or outputs of a linear layer), sizes use a random value of the list.
  /// For n (length of a vector), sizes use a random number between the smallest and the largest
  /// value of the list, uniformly distributed on a logarithmic scale.
  std::map<std::string, std::vector<std::int64_t>> values;
  double most_bytes = 0;  ///< maximum total bytes of the arrays of a kernel
  double most_flop = 0;   ///< maximum number of operations, where a multiply-add counts as 2
};

/// Returns the ranges of the paper with their extensions. The limits most_bytes and most_flop are
/// set such that a device of the kind `device` computes each kernel in about a second.
SizeRanges usual_ranges(const std::string& device);

/// Returns the total bytes of the arrays that a kernel call uses, including gradients, if all
/// values are fp32.
double bytes_of_kernel(KernelShape shape, const KernelSize& size);
/// Returns the number of floating-point operations of a convolution or matrix product. Returns 0
/// for other kernels.
double flop_of_kernel(KernelShape shape, const KernelSize& size);

/// Sampler of random sizes for one kernel class. The sampler never returns the same size twice. For
/// given ranges, the sequence of sizes depends only on the seed.
class SizeSampler {
 public:
  SizeSampler(const KernelClass& kernel, const SizeRanges& ranges, std::uint64_t seed);
  /// Returns the next size. Returns nullopt when the sampler finds no further size within the
  /// limits.
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
