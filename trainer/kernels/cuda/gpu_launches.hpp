// SPDX-License-Identifier: Apache-2.0
// Functions that start the kernels that nvcc compiles. Only files of this folder may use the
// functions.
//
// Each function returns the CUDA error code from the start of the kernel.
#pragma once

#include <driver_types.h>

#include "trainer/kernels/cuda/launches.hpp"

namespace dlscale::trainer::kernel {

template <class T>
cudaError_t start(const MomentsCall<T>& call, cudaStream_t stream);
template <class T>
cudaError_t start(const FinishMomentsCall<T>& call, cudaStream_t stream);
template <class T>
cudaError_t start(const NormaliseCall<T>& call, cudaStream_t stream);
template <class T>
cudaError_t start(const GradientSumsCall<T>& call, cudaStream_t stream);
template <class T>
cudaError_t start(const FinishGradientsCall<T>& call, cudaStream_t stream);
template <class T>
cudaError_t start(const NormGradientCall<T>& call, cudaStream_t stream);
template <class T>
cudaError_t start(const PoolCall<T>& call, cudaStream_t stream);
template <class T>
cudaError_t start(const PoolGradientCall<T>& call, cudaStream_t stream);
template <class T>
cudaError_t start(const LossCall<T>& call, std::int64_t samples, cudaStream_t stream);
template <class T>
cudaError_t start(const LossGradientCall<T>& call, cudaStream_t stream);

}  // namespace dlscale::trainer::kernel
