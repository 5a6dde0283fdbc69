// SPDX-License-Identifier: Apache-2.0
// Collectives over MPI.
#include "trainer/comm/mpi.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "trainer/comm/communicator_table.hpp"
#include "trainer/comm/mpi_call.hpp"

namespace dlscale::trainer {
namespace {

MPI_Datatype type_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return MPI_UINT8_T;
    case ElementType::int32:
      return MPI_INT32_T;
    case ElementType::int64:
      return MPI_INT64_T;
    case ElementType::float32:
      return MPI_FLOAT;
    case ElementType::float64:
      break;
  }
  return MPI_DOUBLE;
}

MPI_Op op_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return MPI_SUM;
    case ReduceOp::min:
      return MPI_MIN;
    case ReduceOp::max:
      break;
  }
  return MPI_MAX;
}

/// Waits for a request without keeping a core from those who compute.
///
/// MPI's own waiting polls for as long as it takes. Ranks that arrive together meet within the
/// patience, so this costs them nothing: 2 ranks on 2 cores train as fast as with a bare
/// MPI_Allreduce, while sleeping at once costs a tenth and more. Whoever waits longer waits for a
/// rank that still computes and sleeps meanwhile; the sleep then adds little to the wait.
void wait_quietly(MPI_Request request) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kPatience{200};
  constexpr std::chrono::microseconds kSleep{50};
  const Clock::time_point begin = Clock::now();
  while (true) {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    if (Clock::now() - begin < kPatience) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(kSleep);
    }
  }
}

class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator(const MpiSession& session, std::int64_t max_count)
      : Communicator(session.rank(), session.size()), max_count_(max_count) {
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &context_), "MPI_Comm_dup");
  }
  ~MpiCommunicator() override { MPI_Comm_free(&context_); }

  void all_reduce(Span data, ReduceOp op) override {
    barrier();
    for_parts(data, [&](void* part, int count) {
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, part, count, type_of(data.type), op_of(op), context_),
                "MPI_Allreduce");
    });
  }

  void broadcast(Span data, int root) override {
    barrier();
    for_parts(data, [&](void* part, int count) {
      check_mpi(MPI_Bcast(part, count, type_of(data.type), root, context_), "MPI_Bcast");
    });
  }

  void all_gather(Span in, Span out) override {
    barrier();
    if (in.count <= max_count_) {
      const int count = static_cast<int>(in.count);
      const MPI_Datatype type = type_of(in.type);
      check_mpi(MPI_Allgather(in.data, count, type, out.data, count, type, context_),
                "MPI_Allgather");
      return;
    }
    // The parts of one rank are not where MPI_Allgather would put them; broadcasts put them right.
    auto* row = static_cast<std::byte*>(out.data);
    std::memcpy(row + static_cast<std::size_t>(rank()) * in.bytes(), in.data, in.bytes());
    for (int root = 0; root < size(); ++root, row += in.bytes()) {
      broadcast({row, in.count, in.type}, root);
    }
  }

  /// Also how every other collective begins: its blocking MPI call, much faster than the
  /// non-blocking one for long data, then finds all ranks there and need not wait.
  void barrier() override {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(context_, &request), "MPI_Ibarrier");
    wait_quietly(request);
  }

 private:
  template <class Body>
  void for_parts(const Span& data, const Body& body) const {
    for (std::int64_t first = 0; first < data.count; first += max_count_) {
      auto* part = static_cast<std::byte*>(data.data) +
                   static_cast<std::size_t>(first) * bytes_of(data.type);
      body(part, static_cast<int>(std::min(max_count_, data.count - first)));
    }
  }

  std::int64_t max_count_;
  MPI_Comm context_ = MPI_COMM_NULL;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi(const MpiSession& session, std::int64_t max_count) {
  return std::make_unique<MpiCommunicator>(session, max_count);
}

extern const CommunicatorEntry mpi_entry;
const CommunicatorEntry mpi_entry{
    .name = "mpi", .summary = "processes of one or many nodes through MPI", .unavailable = nullptr};

}  // namespace dlscale::trainer
