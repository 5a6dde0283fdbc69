// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_block_shard.hpp"

#include <torch/types.h>

#include <utility>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

/// What was computed with a tensor and saved for backward keeps its storage, whatever its size is
/// in the meantime.
void resize_storage(const at::Tensor& tensor, std::size_t bytes) {
  const c10::DeviceGuard device(tensor.device());  // on which its allocator allocates
  c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
  if (storage.nbytes() == bytes) return;
  storage.set_data_ptr_noswap(storage.allocator()->allocate(bytes));
  storage.set_nbytes(bytes);
}

}  // namespace

BlockShard::BlockShard(const std::vector<at::Tensor>& parameters, std::int64_t persistent,
                       CollectiveQueue& queue)
    : parameters_(parameters),
      persistent_(persistent),
      queue_(queue),
      flat_(parameters_, queue.size()) {
  take();
  partition_.mutable_grad() = at::zeros_like(partition_);
  release();
}

void BlockShard::take() {
  const FlatRange mine = flat_.partition(queue_.rank());
  const at::Tensor part = flat_.vector().narrow(0, mine.first, mine.count);
  if (partition_.defined()) {
    const at::NoGradGuard no_gradients;
    partition_.copy_(part);
  } else {
    partition_ = part.detach().clone();
  }
}

void BlockShard::allocate() {
  resize_storage(flat_.vector(), static_cast<std::size_t>(elements()) * flat_.vector().itemsize());
}

void BlockShard::ask() {
  if (is_whole_ || on_its_way_) return;
  allocate();
  on_its_way_ = queue_.all_gather(span_of(partition_), span_of(flat_.vector()),
                                  keeping(partition_, flat_.vector()));
}

double BlockShard::wait() {
  double exposed_s = 0;
  if (on_its_way_) exposed_s = queue_.wait_for(*std::exchange(on_its_way_, nullptr));
  is_whole_ = true;
  return exposed_s;
}

void BlockShard::release() {
  if (is_persistent() || on_its_way_) return;
  resize_storage(flat_.vector(), 0);
  is_whole_ = false;
}

void BlockShard::refresh() {
  if (on_its_way_) wait();
  if (!is_persistent()) return release();
  is_whole_ = false;
  ask();
  wait();
}

double BlockShard::reduce_gradients() {
  const double exposed_s = finish_gradients();
  const at::NoGradGuard no_gradients;
  const at::Tensor all = at::zeros({elements()}, partition_.options().requires_grad(false));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) continue;
    const FlatRange range = flat_.range(i);
    all.narrow(0, range.first, range.count).copy_(in_memory_order(gradient));
    gradient.reset();
  }
  all.div_(queue_.size());
  const at::Tensor share = at::empty_like(partition_);
  sent_ = Sent{share, queue_.reduce_scatter(span_of(all), span_of(share), ReduceOp::sum,
                                            keeping(all, share))};
  return exposed_s;
}

double BlockShard::finish_gradients() {
  if (!sent_) return 0;
  const at::NoGradGuard no_gradients;
  const Sent sent = *std::exchange(sent_, std::nullopt);
  const double exposed_s = queue_.wait_for(*sent.work);
  partition_.mutable_grad().add_(sent.share);
  return exposed_s;
}

}  // namespace dlscale::trainer
