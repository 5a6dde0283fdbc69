// SPDX-License-Identifier: Apache-2.0
// CUDA implementation of the kernels in this folder. nvcc compiles this file. The file includes no
// header of LibTorch.
#include "trainer/kernels/cuda/gpu_launches.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace dlscale::trainer::kernel {
namespace {

extern __shared__ double shared_memory[];

/// Block of the programming model in blocks.hpp, implemented by the thread block of the calling GPU
/// thread.
class GpuBlock {
 public:
  __device__ int tile() const { return static_cast<int>(blockIdx.x); }
  __device__ int chunk() const { return static_cast<int>(blockIdx.y); }
  __device__ int threads() const { return static_cast<int>(blockDim.x); }
  template <class S>
  __device__ S* shared() {
    return reinterpret_cast<S*>(shared_memory);
  }
  template <class Body>
  __device__ void each_thread(const Body& body) {
    body(static_cast<int>(threadIdx.x));
    __syncthreads();
  }

  template <int V, class T>
  __device__ Pack<T, V> load(const T* from) const {
    return words<Pack<T, V>>(from);
  }
  template <class T, int V>
  __device__ void store_pack(const Pack<T, V>& pack, T* to) const {
    put(pack, to);
  }
  template <int V>
  __device__ void widen(const Pack<float, V>& pack, float* to) const {
#pragma unroll
    for (int k = 0; k < V; ++k) to[k] = pack.values[k];
  }
  template <int V>
  __device__ void widen(const Pack<Float16, V>& pack, float* to) const {
#pragma unroll
    for (int k = 0; k < V; ++k) to[k] = __half2float(__ushort_as_half(pack.values[k].bits));
  }
  template <int V>
  __device__ void widen(const Pack<BFloat16, V>& pack, float* to) const {
#pragma unroll
    for (int k = 0; k < V; ++k) {
      to[k] = __uint_as_float(static_cast<unsigned>(pack.values[k].bits) << 16);
    }
  }
  /// Rounds the V values in `from` to type T and stores them at `to`. The content of `pack` is
  /// ignored. The argument `pack` only selects the types.
  template <class T, int V>
  __device__ void store(const float* from, Pack<T, V> pack, T* to) const {
#pragma unroll
    for (int k = 0; k < V; ++k) pack.values[k] = rounded(from[k], T{});
    put(pack, to);
  }

 private:
  static __device__ float rounded(float value, float) { return value; }
  static __device__ Float16 rounded(float value, Float16 result) {
    result.bits = __half_as_ushort(__float2half_rn(value));
    return result;
  }
  static __device__ BFloat16 rounded(float value, BFloat16 result) {
    result.bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
    return result;
  }
  /// Loads a pack of up to 16 bytes with a single access.
  template <class P, class T>
  static __device__ P words(const T* from) {
    if constexpr (sizeof(P) == 16) {
      return bits<P>(*reinterpret_cast<const uint4*>(from));
    } else if constexpr (sizeof(P) == 8) {
      return bits<P>(*reinterpret_cast<const uint2*>(from));
    } else if constexpr (sizeof(P) == 4) {
      return bits<P>(*reinterpret_cast<const unsigned*>(from));
    } else {
      return *reinterpret_cast<const P*>(from);
    }
  }
  template <class P, class T>
  static __device__ void put(const P& pack, T* to) {
    if constexpr (sizeof(P) == 16) {
      *reinterpret_cast<uint4*>(to) = bits<uint4>(pack);
    } else if constexpr (sizeof(P) == 8) {
      *reinterpret_cast<uint2*>(to) = bits<uint2>(pack);
    } else if constexpr (sizeof(P) == 4) {
      *reinterpret_cast<unsigned*>(to) = bits<unsigned>(pack);
    } else {
      *reinterpret_cast<P*>(to) = pack;
    }
  }
  template <class To, class From>
  static __device__ To bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
  }
};

// CUDA kernels that call the kernel functions of the files *_blocks.hpp. V is the number of values
// in a pack.

template <class T, int V>
__global__ void __launch_bounds__(kThreads) moments_kernel(MomentsCall<T> call) {
  GpuBlock block;
  add_moments<T, V>(block, call);
}

template <class T>
__global__ void finish_moments_kernel(FinishMomentsCall<T> call) {
  GpuBlock block;
  finish_moments<T>(block, call);
}

template <class T, int V>
__global__ void __launch_bounds__(kThreads) normalise_kernel(NormaliseCall<T> call) {
  GpuBlock block;
  normalise<T, V>(block, call);
}

/// Kernel with the mask as a template argument, so that the compiler removes the branches on the
/// mask from the loop.
template <class T, int V, Mask mask>
__global__ void __launch_bounds__(kThreads) gradient_sums_kernel(GradientSumsCall<T> call) {
  GpuBlock block;
  call.mask = mask;
  add_gradient_sums<T, V>(block, call);
}

template <class T>
__global__ void finish_gradients_kernel(FinishGradientsCall<T> call) {
  GpuBlock block;
  finish_gradients<T>(block, call);
}

template <class T, int V, Mask mask>
__global__ void __launch_bounds__(kThreads) norm_gradient_kernel(NormGradientCall<T> call) {
  GpuBlock block;
  call.mask = mask;
  norm_gradient<T, V>(block, call);
}

template <class T, int V>
__global__ void __launch_bounds__(kThreads) pool_kernel(PoolCall<T> call) {
  GpuBlock block;
  pool_largest<T, V>(block, call);
}

template <class T, int V>
__global__ void __launch_bounds__(kThreads) pool_gradient_kernel(PoolGradientCall<T> call) {
  GpuBlock block;
  pool_gradient<T, V>(block, call);
}

template <class T>
__global__ void loss_kernel(LossCall<T> call) {
  GpuBlock block;
  cross_entropy<T>(block, call);
}

template <class T>
__global__ void loss_gradient_kernel(LossGradientCall<T> call) {
  GpuBlock block;
  cross_entropy_gradient<T>(block, call);
}

dim3 blocks_of(const RowGrid& grid) {
  return {static_cast<unsigned>(grid.tiles), static_cast<unsigned>(grid.chunks)};
}

template <class T>
void launch(const MomentsCall<T>& call, cudaStream_t stream) {
  with_pack<T>(call.grid, [&](auto v) {
    moments_kernel<T, v()><<<blocks_of(call.grid), kThreads, sums_bytes(call.grid), stream>>>(call);
  });
}

template <class T>
void launch(const FinishMomentsCall<T>& call, cudaStream_t stream) {
  finish_moments_kernel<T>
      <<<finish_blocks(call.channels), kFinishThreads, kFinishBytes, stream>>>(call);
}

template <class T>
void launch(const NormaliseCall<T>& call, cudaStream_t stream) {
  with_pack<T>(call.grid, [&](auto v) {
    normalise_kernel<T, v()><<<blocks_of(call.grid), kThreads, 0, stream>>>(call);
  });
}

template <class T>
void launch(const GradientSumsCall<T>& call, cudaStream_t stream) {
  with_pack<T>(call.grid, [&](auto v) {
    constexpr int V = v();
    const auto with_mask = [&](auto* kernel) {
      kernel<<<blocks_of(call.grid), kThreads, sums_bytes(call.grid), stream>>>(call);
    };
    switch (call.mask) {
      case Mask::none: return with_mask(&gradient_sums_kernel<T, V, Mask::none>);
      case Mask::from_input: return with_mask(&gradient_sums_kernel<T, V, Mask::from_input>);
      case Mask::from_output: return with_mask(&gradient_sums_kernel<T, V, Mask::from_output>);
    }
  });
}

template <class T>
void launch(const FinishGradientsCall<T>& call, cudaStream_t stream) {
  finish_gradients_kernel<T><<<finish_blocks(call.channels), kFinishThreads, kFinishBytes,
                            stream>>>(call);
}

template <class T>
void launch(const NormGradientCall<T>& call, cudaStream_t stream) {
  with_pack<T>(call.grid, [&](auto v) {
    constexpr int V = v();
    if (call.mask == Mask::from_input) {
      norm_gradient_kernel<T, V, Mask::from_input><<<blocks_of(call.grid), kThreads, 0, stream>>>(call);
    } else {
      norm_gradient_kernel<T, V, Mask::none><<<blocks_of(call.grid), kThreads, 0, stream>>>(call);
    }
  });
}

template <class T>
void launch(const PoolCall<T>& call, cudaStream_t stream) {
  with_pack<T>(call.grid, [&](auto v) {
    pool_kernel<T, v()><<<blocks_of(call.grid), kThreads, 0, stream>>>(call);
  });
}

template <class T>
void launch(const PoolGradientCall<T>& call, cudaStream_t stream) {
  with_pack<T>(call.grid, [&](auto v) {
    pool_gradient_kernel<T, v()><<<blocks_of(call.grid), kThreads, 0, stream>>>(call);
  });
}

template <class T>
void launch(const LossCall<T>& call, cudaStream_t stream) {
  loss_kernel<T>
      <<<static_cast<unsigned>(call.samples), kLossThreads, kLossBytes, stream>>>(call);
}

template <class T>
void launch(const LossGradientCall<T>& call, cudaStream_t stream) {
  loss_gradient_kernel<T><<<static_cast<unsigned>(call.samples), kLossThreads, 0, stream>>>(call);
}

}  // namespace

cudaError_t start(const Call& call, cudaStream_t stream) {
  std::visit([&](const auto& each) { launch(each, stream); }, call);
  return cudaGetLastError();
}

}  // namespace dlscale::trainer::kernel
