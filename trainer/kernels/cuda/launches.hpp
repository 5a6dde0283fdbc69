// SPDX-License-Identifier: Apache-2.0
// Interface that starts the kernels of this folder. The kernels run on a GPU, and in tests on a
// CPU.
#pragma once

#include <variant>

#include "trainer/kernels/cuda/loss_blocks.hpp"
#include "trainer/kernels/cuda/norm_blocks.hpp"
#include "trainer/kernels/cuda/pool_blocks.hpp"
#include "trainer/numbers/half_types.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer::kernel {

template <template <class> class... Calls>
using CallsOfAllTypes = std::variant<Calls<float>..., Calls<Float16>..., Calls<BFloat16>...>;

/// Arguments of one kernel. The RowGrid in a call must come from the function grid().
using Call = CallsOfAllTypes<MomentsCall, FinishMomentsCall, NormaliseCall, GradientSumsCall,
                             FinishGradientsCall, NormGradientCall, PoolCall, PoolGradientCall,
                             LossCall, LossGradientCall>;

class Launches {
 public:
  virtual ~Launches() = default;
  /// Starts a kernel in the current stream of the current device.
  virtual void run(const Call& call) const = 0;
  /// Returns true when the kernels can access the memory of `tensor`.
  virtual bool serves(const at::Tensor& tensor) const = 0;
  /// Returns the number of blocks that is needed to occupy the whole device.
  virtual int blocks() const = 0;
};

template <class T>
RowGrid grid(const Launches& launches, std::int64_t rows, int channels) {
  return make_row_grid(rows, channels, kWidestPack<T>, launches.blocks());
}

/// Returns the object that starts the kernels on GPUs. Returns null in a build without CUDA.
const Launches* gpu_launches();

}  // namespace dlscale::trainer::kernel
