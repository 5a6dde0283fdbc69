// SPDX-License-Identifier: Apache-2.0
// Gradients that travel smaller: as 16-bit floats, and as products of thin matrices.
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

// Gradients that travel as 16-bit floats.

/// As PyTorch's fp16_compress_hook and bf16_compress_hook: a bucket is rounded, divided by the
/// number of ranks, all-reduced, and brought back. `name`: fp16 or bf16.
std::unique_ptr<c10d::CommHookInterface> make_compression_hook(
    const std::string& name, const c10::intrusive_ptr<c10d::ProcessGroup>& group);

// Gradients that travel as products of thin matrices.

/// Vogels, Karimireddy, Jaggi, 2019, with the defaults of PyTorch's powerSGD_hook: the gradient M
/// of n x m (first dimension x rest) becomes P Q', P of n x r and Q of m x r, by one power
/// iteration from the Q of the last step; what is lost is added to the next gradient. A gradient
/// goes as it is unless that makes it less than half as large: 2 r (n + m) < n m.
///
/// Memory of errors and Qs is by parameter, where PyTorch has it by bucket: it survives a change of
/// buckets, so steps may be compressed from the first on.
class PowerSgd : public std::enable_shared_from_this<PowerSgd> {
 public:
  PowerSgd(const std::vector<at::Tensor>& parameters, const contract::FrameworkOptions& options,
           const c10::intrusive_ptr<QueueBackend>& backend);

  /// **Collective.** The future of the bucket with the mean in it: three all-reduces, of what goes
  /// as it is, of all Ps and of all Qs; one before the first compressed step.
  c10::intrusive_ptr<c10::ivalue::Future> reduce(c10d::GradBucket& bucket);

  /// What this rank's gradients have lost, the Qs, and how many steps there were.
  std::vector<NamedTensor> state();

 private:
  struct Piece {
    std::int64_t rows = 0, columns = 0;
    std::int64_t rank = 0;   ///< 0: goes as it is
    std::int64_t error = 0;  ///< where its part of errors_ begins
    std::int64_t q = 0;      ///< of qs_
  };
  /// A bucket under way.
  struct Job {
    at::Tensor bucket;
    std::vector<at::Tensor> as_they_are;
    at::Tensor rest;  ///< these, in a row
    std::vector<const Piece*> pieces;
    std::vector<at::Tensor> matrices;
    at::Tensor ps, qs;  ///< of all pieces, in a row
  };

  Job begin(c10d::GradBucket& bucket);
  void exchange(Job& job, Communicator& ranks);
  at::Tensor error_of(const Piece& piece) const;

  c10::intrusive_ptr<QueueBackend> backend_;
  std::int64_t start_step_;
  std::vector<Piece> pieces_;
  std::unordered_map<const void*, std::size_t> index_of_;  ///< by parameter
  at::Tensor errors_, qs_;
  at::Tensor steps_;  ///< one number
};

/// `power_sgd` as the reducer calls it.
std::unique_ptr<c10d::CommHookInterface> make_powersgd_hook(std::shared_ptr<PowerSgd> power_sgd);

}  // namespace dlscale::trainer
