// SPDX-License-Identifier: Apache-2.0
// Collectives over NCCL for data on GPUs, and over another transport for data in host memory.
#include "trainer/comm/nccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/call_number.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/nccl_connection.hpp"
#include "trainer/device/gpu.hpp"

namespace dlscale::trainer {
namespace {

ncclDataType_t nccl_type(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return ncclUint8;
    case ElementType::int32:
      return ncclInt32;
    case ElementType::int64:
      return ncclInt64;
    case ElementType::float16:
      return ncclFloat16;
    case ElementType::bfloat16:
      return ncclBfloat16;
    case ElementType::float32:
      return ncclFloat32;
    case ElementType::float64:
      break;
  }
  return ncclFloat64;
}

ncclRedOp_t nccl_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return ncclSum;
    case ReduceOp::min:
      return ncclMin;
    case ReduceOp::max:
      return ncclMax;
    case ReduceOp::bit_and:
      break;
  }
  throw base::RunError("NCCL does not support bit_and", contract::kExitCommunication);
}

std::size_t elements(const Span& data) {
  return static_cast<std::size_t>(data.count);
}

class NcclCommunicator : public Communicator {
 public:
  NcclCommunicator(std::unique_ptr<Communicator> host, std::unique_ptr<NcclConnection> gpus,
                   int gpu)
      : Communicator(host->rank(), host->size()),
        host_(std::move(host)),
        gpus_(std::move(gpus)),
        gpu_(gpu),
        idle_(std::make_shared<const CudaStream>()) {}
  bool takes(Memory) const override { return true; }
  std::shared_ptr<const Fence> fence() const override { return make_fence(gpu_, idle_); }
  std::string all_reduce_name() const override { return "nccl"; }

 private:
  void do_all_reduce(Span data, ReduceOp op) override;
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override;
  void do_all_gather(Span in, Span out) override;
  void do_broadcast(Span data, int root) override;
  void do_reduce(Span data, ReduceOp op, int root) override;
  void do_exchange(Span out, int to, Span in, int from) override;
  void do_check_same_call(const NamedCollective& call) override {
    on_host([&] { host_->check_same_call(call); });
  }
  std::unique_ptr<Communicator> do_split(int color) override;

  template <class Call>
  void on_host(const Call& call) {
    call();
    waited(host_->last_wait_s());
  }
  void run(const NamedCollective& collective, const NcclConnection::Call& call);
  void require_counterparts(const Span& out, int to, const Span& in, int from);
  void require_equal(const Span& mine, std::int64_t theirs, int other) const;

  std::unique_ptr<Communicator> host_;
  std::unique_ptr<NcclConnection> gpus_;
  int gpu_;
  std::shared_ptr<const CudaStream> idle_;
};

/// Synchronises all ranks through the host communicator and then runs a collective on the GPU.
/// Without the synchronisation, the kernels of NCCL would occupy the GPU while they wait for other
/// ranks. NCCL would also not notice when other ranks make a different call.
void NcclCommunicator::run(const NamedCollective& collective, const NcclConnection::Call& call) {
  do_check_same_call(collective);
  if (collective.data.count == 0) return;
  const OnGpu gpu(gpu_);
  gpus_->run(collective.name, call);
}

void NcclCommunicator::do_all_reduce(Span data, ReduceOp op) {
  if (data.memory == Memory::host) return on_host([&] { host_->all_reduce(data, op); });
  const ncclRedOp_t nccl = nccl_op(op);
  run({"all_reduce", data, op}, [&](ncclComm_t comm, cudaStream_t stream) {
    return ncclAllReduce(data.data, data.data, elements(data), nccl_type(data.type), nccl, comm,
                         stream);
  });
}

void NcclCommunicator::do_reduce_scatter(Span in, Span out, ReduceOp op) {
  if (in.memory == Memory::host) return on_host([&] { host_->reduce_scatter(in, out, op); });
  const ncclRedOp_t nccl = nccl_op(op);
  run({"reduce_scatter", in, op}, [&](ncclComm_t comm, cudaStream_t stream) {
    return ncclReduceScatter(in.data, out.data, elements(out), nccl_type(in.type), nccl, comm,
                             stream);
  });
}

void NcclCommunicator::do_all_gather(Span in, Span out) {
  if (in.memory == Memory::host) return on_host([&] { host_->all_gather(in, out); });
  run({"all_gather", in}, [&](ncclComm_t comm, cudaStream_t stream) {
    return ncclAllGather(in.data, out.data, elements(in), nccl_type(in.type), comm, stream);
  });
}

void NcclCommunicator::do_broadcast(Span data, int root) {
  if (data.memory == Memory::host) return on_host([&] { host_->broadcast(data, root); });
  run({"broadcast", data, ReduceOp::sum, root}, [&](ncclComm_t comm, cudaStream_t stream) {
    return ncclBroadcast(data.data, data.data, elements(data), nccl_type(data.type), root, comm,
                         stream);
  });
}

void NcclCommunicator::do_reduce(Span data, ReduceOp op, int root) {
  if (data.memory == Memory::host) return on_host([&] { host_->reduce(data, op, root); });
  const ncclRedOp_t nccl = nccl_op(op);
  run({"reduce", data, op, root}, [&](ncclComm_t comm, cudaStream_t stream) {
    return ncclReduce(data.data, data.data, elements(data), nccl_type(data.type), nccl, root, comm,
                      stream);
  });
}

void NcclCommunicator::do_exchange(Span out, int to, Span in, int from) {
  if (to == kNobody) out = {nullptr, 0, in.type, in.memory};
  if (from == kNobody) in = {nullptr, 0, out.type, out.memory};
  if (out.memory != in.memory) {
    throw base::RunError("exchange needs all arrays in the same kind of memory",
                         contract::kExitCommunication);
  }
  if (out.memory == Memory::host) return host_->exchange(out, to, in, from);
  require_counterparts(out, to, in, from);
  if (out.count == 0 && in.count == 0) return;
  const OnGpu gpu(gpu_);
  gpus_->run("exchange", [&](ncclComm_t comm, cudaStream_t stream) {
    ncclResult_t begun = ncclGroupStart();
    if (begun == ncclSuccess && out.count > 0) {
      begun = ncclSend(out.data, elements(out), nccl_type(out.type), to, comm, stream);
    }
    if (begun == ncclSuccess && in.count > 0) {
      begun = ncclRecv(in.data, elements(in), nccl_type(in.type), from, comm, stream);
    }
    const ncclResult_t ended = ncclGroupEnd();
    return begun == ncclSuccess ? ended : begun;
  });
}

/// Checks that the sender and the receiver of each message in an exchange expect the same number of
/// bytes. Each sender first sends its number to the receiver. Each receiver then sends its number
/// back to the sender. A mismatch is therefore detected on both sides.
void NcclCommunicator::require_counterparts(const Span& out, int to, const Span& in, int from) {
  std::int64_t out_bytes = static_cast<std::int64_t>(out.bytes());
  std::int64_t in_bytes = static_cast<std::int64_t>(in.bytes());
  std::int64_t arriving = in_bytes, wanted = out_bytes;
  const auto number = [](std::int64_t& value) { return Span{&value, 1, ElementType::int64}; };
  host_->exchange(number(out_bytes), to, number(arriving), from);
  host_->exchange(number(in_bytes), from, number(wanted), to);
  if (from != kNobody) require_equal(in, arriving, from);
  if (to != kNobody) require_equal(out, wanted, to);
}

void NcclCommunicator::require_equal(const Span& mine, std::int64_t theirs, int other) const {
  if (static_cast<std::int64_t>(mine.bytes()) == theirs) return;
  throw base::RunError(
      fmt::format("rank {} exchanges {} bytes with rank {}, which expects {} bytes", rank(),
                  mine.bytes(), other, theirs),
      contract::kExitCommunication);
}

std::unique_ptr<Communicator> NcclCommunicator::do_split(int color) {
  const OnGpu gpu(gpu_);
  auto host = host_->split(color);
  waited(host_->last_wait_s());
  auto gpus = NcclConnection::split(*gpus_, color, rank());
  return std::make_unique<NcclCommunicator>(std::move(host), std::move(gpus), gpu_);
}

/// Throws when two ranks use the same GPU. NCCL reports this error late and with an unclear
/// message.
void require_own_gpus(Communicator& host, const GpuIdentity& mine) {
  std::vector<GpuIdentity> all(static_cast<std::size_t>(host.size()));
  GpuIdentity sent = mine;
  const auto bytes = static_cast<std::int64_t>(sent.size());
  host.all_gather({sent.data(), bytes, ElementType::uint8},
                  {all.data(), bytes * host.size(), ElementType::uint8});
  for (auto first = all.begin(); first != all.end(); ++first) {
    const auto second = std::find(first + 1, all.end(), *first);
    if (second == all.end()) continue;
    throw base::RunError(
        fmt::format(
            "ranks {} and {} use the same GPU, but NCCL needs one GPU per rank; start fewer "
            "ranks per node or, for tests, set DLSCALE_SHARE_GPUS=1 (docs/gpu.md)",
            first - all.begin(), second - all.begin()),
        contract::kExitBadRunDescription);
  }
}

}  // namespace

std::string nccl_version() {
  int code = 0;  // version as 10000 x major + 100 x minor + patch
  ncclGetVersion(&code);
  return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

void require_gpu(int local_rank) {
  gpu_of(local_rank);
}

std::unique_ptr<Communicator> make_nccl(std::unique_ptr<Communicator> host,
                                        const NcclSettings& settings) {
  const int gpu = gpu_of(settings.local_rank);
  const OnGpu on(gpu);
  if (settings.share_gpus) {
    // NCCL accepts ranks with the same GPU if it believes that the ranks are on different hosts.
    const std::string name = fmt::format("dlscale-rank-{}", host->rank());
    ::setenv("NCCL_HOSTID", name.c_str(), /*overwrite=*/0);
  } else {
    require_own_gpus(*host, identity_of(gpu));
  }
  ncclUniqueId id{};
  if (host->rank() == 0) {
    const ncclResult_t result = ncclGetUniqueId(&id);
    if (result != ncclSuccess) {
      throw base::RunError(fmt::format("ncclGetUniqueId failed: {}", ncclGetErrorString(result)),
                           contract::kExitCommunication);
    }
  }
  host->broadcast({&id, sizeof(id), ElementType::uint8}, 0);
  auto gpus = std::make_unique<NcclConnection>(host->rank(), host->size(), id, settings.patience);
  return std::make_unique<NcclCommunicator>(std::move(host), std::move(gpus), gpu);
}

extern const CommunicatorEntry nccl_entry;
const CommunicatorEntry nccl_entry{.name = "nccl",
                                   .summary = "GPUs of one or many nodes through NVIDIA's NCCL",
                                   .unavailable = nullptr};

}  // namespace dlscale::trainer
