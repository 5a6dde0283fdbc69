// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/compression.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "trainer/sync/tensor_collectives.hpp"
#include "trainer/sync/zero_gradient_buckets.hpp"

namespace dlscale::trainer {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

class CompressionHook : public c10d::CppCommHookInterface<Group> {
 public:
  CompressionHook(at::ScalarType type, const Group& group)
      : CppCommHookInterface(group), type_(type) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    const at::Tensor buffer = bucket.getBufferRef();
    std::vector<at::Tensor> compressed{buffer.to(type_).div_(state_->getSize())};
    return state_->allreduce(compressed)
        ->getFuture()
        ->then(
            [buffer, compressed](c10::ivalue::Future& done) {
              done.value();  // rethrows the exception of the collective
              buffer.copy_(compressed.front());
              return c10::IValue(std::vector<at::Tensor>{buffer});
            },
            c10::ListType::create(c10::TensorType::get()));
  }

 private:
  at::ScalarType type_;
};

}  // namespace

std::unique_ptr<c10d::CommHookInterface> make_compression_hook(const std::string& name,
                                                               const Group& group) {
  return std::make_unique<CompressionHook>(name == "fp16" ? at::kHalf : at::kBFloat16, group);
}

// PowerSGD runs a power iteration for each bucket. The computation of P runs on the thread of the
// backward pass. All exchanges and the computation of Q run on the communication thread of the
// queue.

namespace {

/// Minimum compression factor. A gradient that would shrink by this factor or less is sent
/// uncompressed (PyTorch: min_compression_rate).
constexpr std::int64_t kLeastGain = 2;
constexpr std::uint64_t kSeed = 0;

/// Returns a matrix that shares the memory of `tensor`. The matrix of a channels-last tensor has
/// its columns in a different order from the matrix of a contiguous tensor. The order does not
/// matter, because it is the same on all ranks.
at::Tensor matrix_of(const at::Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  return tensor.as_strided({rows, columns}, {columns, 1});
}

bool is_matrix_of_rows(const at::Tensor& tensor) {
  return tensor.dim() > 1 && tensor.numel() > 0 && tensor.is_non_overlapping_and_dense() &&
         tensor.stride(0) == tensor.numel() / tensor.size(0);
}

/// Replaces the columns of `matrix` with an orthonormal basis of their span.
void orthogonalise(const at::Tensor& matrix) {
  matrix.copy_(std::get<0>(at::linalg_qr(matrix)));
}

at::Tensor thin(const at::Tensor& all, std::int64_t first, std::int64_t rows, std::int64_t rank) {
  return all.narrow(0, first, rows * rank).view({rows, rank});
}

void sum_over_ranks(const at::Tensor& tensor, Communicator& ranks) {
  if (tensor.numel() == 0) return;
  if (const auto made = ranks.fence()) made->wait();
  ranks.all_reduce(span_of(tensor), ReduceOp::sum);
}

class PowersgdHook : public c10d::CppCommHookInterface<std::shared_ptr<PowerSgd>> {
 public:
  using CppCommHookInterface::CppCommHookInterface;
  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    return state_->reduce(bucket);
  }
};

}  // namespace

PowerSgd::PowerSgd(const std::vector<at::Tensor>& parameters,
                   const contract::FrameworkOptions& options,
                   const c10::intrusive_ptr<QueueBackend>& backend)
    : backend_(backend),
      start_step_(options.powersgd_start_step),
      pieces_(parameters.size()),
      steps_(at::zeros({1}, at::kLong)) {
  std::int64_t errors = 0;
  std::int64_t qs = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor& parameter = parameters[i];
    index_of_[parameter.unsafeGetTensorImpl()] = i;
    if (!is_matrix_of_rows(parameter)) continue;
    Piece& piece = pieces_[i];
    piece = {parameter.size(0), parameter.numel() / parameter.size(0), 0, errors, qs};
    const std::int64_t rank =
        std::min({piece.rows, piece.columns, std::int64_t{options.powersgd_rank}});
    if (kLeastGain * rank * (piece.rows + piece.columns) >= parameter.numel()) continue;
    piece.rank = rank;
    errors += parameter.numel();
    qs += piece.columns * rank;
  }
  const at::TensorOptions like = parameters.front().options().requires_grad(false);
  errors_ = at::zeros({errors}, like);
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(kSeed);
  qs_ = at::randn({qs}, generator, like.device(at::kCPU)).to(like.device());
}

c10::intrusive_ptr<c10::ivalue::Future> PowerSgd::reduce(c10d::GradBucket& bucket) {
  const at::NoGradGuard no_gradients;
  auto& steps = *steps_.data_ptr<std::int64_t>();
  const bool compresses = steps >= start_step_;
  if (bucket.isLast()) ++steps;
  const at::Tensor buffer = bucket.getBufferRef();
  if (!compresses) {
    buffer.div_(backend_->getSize());
    return backend_->run([buffer](Communicator& ranks) { sum_over_ranks(buffer, ranks); }, buffer);
  }
  const auto job = std::make_shared<Job>(begin(bucket));
  return backend_->run(
      [self = shared_from_this(), job](Communicator& ranks) { self->exchange(*job, ranks); },
      buffer);
}

PowerSgd::Job PowerSgd::begin(c10d::GradBucket& bucket) {
  Job job;
  job.bucket = bucket.getBufferRef();
  const auto parameters = bucket.getParameters();
  const auto gradients = bucket.getGradients();
  std::int64_t ps = 0;
  std::int64_t qs = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Piece& piece = pieces_[index_of_.at(parameters[i].unsafeGetTensorImpl())];
    if (piece.rank == 0) {
      job.as_they_are.push_back(gradients[i]);
      continue;
    }
    const at::Tensor matrix = matrix_of(gradients[i], piece.rows, piece.columns);
    const at::Tensor error = error_of(piece);
    matrix.add_(error);
    error.copy_(matrix);
    job.matrices.push_back(matrix);
    job.pieces.push_back(&piece);
    ps += piece.rows * piece.rank;
    qs += piece.columns * piece.rank;
  }
  job.ps = at::empty({ps}, job.bucket.options());
  job.qs = at::empty({qs}, job.bucket.options());
  std::vector<at::Tensor> rest;
  for (const at::Tensor& gradient : job.as_they_are) rest.push_back(in_memory_order(gradient));
  job.rest = rest.empty() ? at::empty({0}, job.bucket.options()) : at::cat(rest);
  std::int64_t p = 0;
  for (std::size_t i = 0; i < job.pieces.size(); ++i) {
    const Piece& piece = *job.pieces[i];
    const at::Tensor q = thin(qs_, piece.q, piece.columns, piece.rank);
    orthogonalise(q);
    thin(job.ps, p, piece.rows, piece.rank).copy_(at::mm(job.matrices[i], q));
    p += piece.rows * piece.rank;
  }
  return job;
}

void PowerSgd::exchange(Job& job, Communicator& ranks) {
  const at::NoGradGuard no_gradients;
  const auto for_pieces = [&](const auto& act) {
    std::int64_t p = 0;
    std::int64_t q = 0;
    for (std::size_t i = 0; i < job.pieces.size(); ++i) {
      const Piece& piece = *job.pieces[i];
      act(i, thin(job.ps, p, piece.rows, piece.rank), thin(job.qs, q, piece.columns, piece.rank));
      p += piece.rows * piece.rank;
      q += piece.columns * piece.rank;
    }
  };
  sum_over_ranks(job.rest, ranks);
  sum_over_ranks(job.ps, ranks);
  for_pieces([&](std::size_t i, const at::Tensor& p, const at::Tensor& q) {
    orthogonalise(p);
    q.copy_(at::mm(job.matrices[i].t(), p));
  });
  sum_over_ranks(job.qs, ranks);
  job.qs.div_(ranks.size());
  for_pieces([&](std::size_t i, const at::Tensor& p, const at::Tensor& q) {
    const Piece& piece = *job.pieces[i];
    job.matrices[i].copy_(at::mm(p, q.t()));
    error_of(piece).sub_(job.matrices[i]);
    thin(qs_, piece.q, piece.columns, piece.rank).copy_(q);
  });
  job.rest.div_(ranks.size());
  std::int64_t at = 0;
  for (const at::Tensor& gradient : job.as_they_are) {
    in_memory_order(gradient).copy_(job.rest.narrow(0, at, gradient.numel()));
    at += gradient.numel();
  }
  if (const auto made = ranks.fence()) made->wait();
}

at::Tensor PowerSgd::error_of(const Piece& piece) const {
  return thin(errors_, piece.error, piece.rows, piece.columns);
}

std::vector<NamedTensor> PowerSgd::state() {
  std::vector<NamedTensor> all{{"steps", steps_}};
  if (errors_.numel() == 0) return all;
  all.push_back({"errors", errors_});
  all.push_back({"qs", qs_});
  return all;
}

std::unique_ptr<c10d::CommHookInterface> make_powersgd_hook(std::shared_ptr<PowerSgd> power_sgd) {
  return std::make_unique<PowersgdHook>(std::move(power_sgd));
}

}  // namespace dlscale::trainer
