// SPDX-License-Identifier: Apache-2.0
// Compression of gradients before the exchange between ranks: conversion to 16-bit floats, and
// PowerSGD.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/sync/c10d_backend.hpp"

namespace dlscale::trainer {

// The following function makes hooks that exchange gradients as 16-bit floats.

/// Makes a hook that works like PyTorch's fp16_compress_hook and bf16_compress_hook. A bucket is
/// rounded to 16 bits, divided by the number of ranks, all-reduced, and converted back. `name` is
/// fp16 or bf16.
std::unique_ptr<c10d::CommHookInterface> make_compression_hook(
    const std::string& name, const c10::intrusive_ptr<c10d::ProcessGroup>& group);

// The following class and function implement PowerSGD, which exchanges gradients as products of two
// thin matrices.

/// PowerSGD (Vogels, Karimireddy, Jaggi, 2019) with the defaults of PyTorch's powerSGD_hook. A
/// gradient is treated as a matrix M of n x m elements, where n is the first dimension of the
/// gradient. M is approximated by the product P Q', where P has n x r and Q has m x r elements. One
/// power iteration, which starts from the Q of the previous step, computes P and Q. The difference
/// between the gradient and the product is called the error, and is added to the gradient of the
/// next step. A gradient is compressed only if the two factors together are less than half as large
/// as the gradient: 2 r (n + m) < n m.
///
/// The errors and Qs are stored for each parameter, whereas PyTorch stores them for each bucket.
/// DDP rebuilds its buckets after the first step. Errors and Qs that belong to parameters remain
/// valid after this change. Even the first step may therefore be compressed.
class PowerSgd : public std::enable_shared_from_this<PowerSgd> {
 public:
  PowerSgd(const std::vector<at::Tensor>& parameters, const contract::FrameworkOptions& options,
           const c10::intrusive_ptr<QueueBackend>& backend);

  /// **Collective.** Returns a future whose value is the bucket with the mean over all ranks. In a
  /// compressed step, a bucket needs three all-reduces: one for the uncompressed gradients, one for
  /// all Ps, and one for all Qs. In the steps before compression starts, a bucket needs one
  /// all-reduce.
  c10::intrusive_ptr<c10::ivalue::Future> reduce(c10d::GradBucket& bucket);

  /// Returns the errors of this rank's gradients, the Qs, and the number of steps.
  std::vector<NamedTensor> state();

 private:
  struct Piece {
    std::int64_t rows = 0, columns = 0;
    std::int64_t rank = 0;   ///< rank r of the product; 0 for an uncompressed gradient
    std::int64_t error = 0;  ///< offset in errors_
    std::int64_t q = 0;      ///< offset in qs_
  };
  /// Bucket whose reduction has not ended yet.
  struct Job {
    at::Tensor bucket;
    std::vector<at::Tensor> as_they_are;
    at::Tensor rest;  ///< uncompressed gradients, concatenated
    std::vector<const Piece*> pieces;
    std::vector<at::Tensor> matrices;
    at::Tensor ps, qs;  ///< P and Q of all pieces, concatenated
  };

  Job begin(c10d::GradBucket& bucket);
  void exchange(Job& job, Communicator& ranks);
  at::Tensor error_of(const Piece& piece) const;

  c10::intrusive_ptr<QueueBackend> backend_;
  std::int64_t start_step_;
  std::vector<Piece> pieces_;
  std::unordered_map<const void*, std::size_t> index_of_;  ///< index of each parameter's piece
  at::Tensor errors_, qs_;
  at::Tensor steps_;  ///< number of steps, as a tensor of one element
};

/// Makes a communication hook for c10d::Reducer that reduces each bucket with `power_sgd`.
std::unique_ptr<c10d::CommHookInterface> make_powersgd_hook(std::shared_ptr<PowerSgd> power_sgd);

}  // namespace dlscale::trainer
