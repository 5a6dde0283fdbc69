// SPDX-License-Identifier: Apache-2.0
// Interface that starts the kernels of this folder. The kernels run on a GPU, and in tests on a
// CPU.
#pragma once

#include <memory>

#include "trainer/kernels/cuda/loss_blocks.hpp"
#include "trainer/kernels/cuda/norm_blocks.hpp"
#include "trainer/kernels/cuda/pool_blocks.hpp"
#include "trainer/numbers/half_types.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer::kernel {

/// Interface that starts the kernels for one value type T. Kernels start in the current stream of
/// the current device. The RowGrid in a call must come from the function grid(). T is float,
/// Float16 or BFloat16.
template <class T>
class TypedLaunches {
 public:
  virtual ~TypedLaunches() = default;
  virtual void run(const MomentsCall<T>& call) = 0;
  virtual void run(const FinishMomentsCall<T>& call) = 0;
  virtual void run(const NormaliseCall<T>& call) = 0;
  virtual void run(const GradientSumsCall<T>& call) = 0;
  virtual void run(const FinishGradientsCall<T>& call) = 0;
  virtual void run(const NormGradientCall<T>& call) = 0;
  virtual void run(const PoolCall<T>& call) = 0;
  virtual void run(const PoolGradientCall<T>& call) = 0;
  virtual void run(const LossCall<T>& call, std::int64_t samples) = 0;
  virtual void run(const LossGradientCall<T>& call) = 0;
};

class Launches : public TypedLaunches<float>,
                 public TypedLaunches<Float16>,
                 public TypedLaunches<BFloat16> {
 public:
  using TypedLaunches<float>::run;
  using TypedLaunches<Float16>::run;
  using TypedLaunches<BFloat16>::run;
  /// Returns true when the kernels can access the memory of `tensor`.
  virtual bool serves(const at::Tensor& tensor) const = 0;
  /// Returns the number of blocks that is needed to occupy the whole device.
  virtual int blocks() const = 0;
};

template <class T>
RowGrid grid(const Launches& launches, std::int64_t rows, int channels) {
  constexpr int kWidestBytes = 16;
  return make_row_grid(rows, channels, kWidestBytes / static_cast<int>(sizeof(T)),
                       launches.blocks());
}

/// Creates an object that starts the kernels on the current GPU. Returns null in a build without
/// CUDA.
std::unique_ptr<Launches> make_gpu_launches();

}  // namespace dlscale::trainer::kernel
