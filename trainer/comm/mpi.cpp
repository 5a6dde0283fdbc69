// SPDX-License-Identifier: Apache-2.0
// Collectives over MPI.
#include "trainer/comm/mpi.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/call_number.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/reduce_elements.hpp"

namespace dlscale::trainer {
namespace {

MPI_Datatype mpi_type(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return MPI_UINT8_T;
    case ElementType::int32:
      return MPI_INT32_T;
    case ElementType::int64:
      return MPI_INT64_T;
    case ElementType::float16:
    case ElementType::bfloat16:
      return MPI_UINT16_T;
    case ElementType::float32:
      return MPI_FLOAT;
    case ElementType::float64:
      break;
  }
  return MPI_DOUBLE;
}

/// MPI reduction operations. MPI has no 16-bit float types, so this class adds custom operations
/// for float16 and bfloat16.
class MpiOps {
 public:
  MpiOps() {
    create<ElementType::float16, ReduceOp::sum>();
    create<ElementType::float16, ReduceOp::min>();
    create<ElementType::float16, ReduceOp::max>();
    create<ElementType::bfloat16, ReduceOp::sum>();
    create<ElementType::bfloat16, ReduceOp::min>();
    create<ElementType::bfloat16, ReduceOp::max>();
  }
  ~MpiOps() {
    for (auto& [key, op] : own_) MPI_Op_free(&op);
  }
  MpiOps(const MpiOps&) = delete;
  MpiOps& operator=(const MpiOps&) = delete;

  MPI_Op of(ElementType type, ReduceOp op) const {
    if (const auto own = own_.find({type, op}); own != own_.end()) return own->second;
    switch (op) {
      case ReduceOp::sum:
        return MPI_SUM;
      case ReduceOp::min:
        return MPI_MIN;
      case ReduceOp::max:
        return MPI_MAX;
      case ReduceOp::bit_and:
        break;
    }
    return MPI_BAND;
  }

 private:
  template <ElementType type, ReduceOp op>
  static void reduce(void* in, void* in_out, int* count, MPI_Datatype*) {
    reduce_elements({in_out, *count, type}, {in, *count, type}, op);
  }
  template <ElementType type, ReduceOp op>
  void create() {
    check_mpi(MPI_Op_create(&reduce<type, op>, /*commute=*/1, &own_[{type, op}]), "MPI_Op_create");
  }
  std::map<std::pair<ElementType, ReduceOp>, MPI_Op> own_;
};

using Clock = std::chrono::steady_clock;

/// Waits for requests without taking a core from computing threads.
///
/// MPI polls for the whole wait. This function polls only for 200 us and then sleeps between polls.
/// Ranks that arrive together meet within the polling time at no cost: 2 ranks on 2 cores train as
/// fast as with a bare MPI_Allreduce. Sleeping at once makes training at least a tenth slower. A
/// wait beyond the polling time usually waits for a rank that still computes. Such waits are long,
/// so the sleep adds little to them.
void wait_quietly(std::vector<MPI_Request>& requests, MPI_Status* statuses) {
  constexpr std::chrono::microseconds kPatience{200};
  constexpr std::chrono::microseconds kSleep{50};
  const Clock::time_point begin = Clock::now();
  while (true) {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, statuses),
              "MPI_Testall");
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
  /// Settings shared by communicators that are split from each other.
  struct Settings {
    MpiOps ops;
    std::int64_t max_count;
    std::string all_reduce;
  };

  /// Takes ownership of `context`.
  MpiCommunicator(MPI_Comm context, std::shared_ptr<const Settings> settings)
      : Communicator(rank_in(context), size_of(context)),
        context_(context),
        settings_(std::move(settings)),
        max_count_(settings_->max_count) {}
  ~MpiCommunicator() override { MPI_Comm_free(&context_); }
  std::string all_reduce_name() const override { return settings_->all_reduce; }

 private:
  void do_all_reduce(Span data, ReduceOp op) override;
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override;
  void do_all_gather(Span in, Span out) override;
  void do_broadcast(Span data, int root) override;
  void do_reduce(Span data, ReduceOp op, int root) override;
  void do_exchange(Span out, int to, Span in, int from) override;
  std::unique_ptr<Communicator> do_split(int color) override;

  static int rank_in(MPI_Comm context) {
    int rank = 0;
    MPI_Comm_rank(context, &rank);
    return rank;
  }
  static int size_of(MPI_Comm context) {
    int size = 0;
    MPI_Comm_size(context, &size);
    return size;
  }

  /// Synchronises the ranks before each collective. The blocking MPI call that follows is much
  /// faster than the non-blocking call for long messages, and no longer spins while it waits for
  /// late ranks. Throws on every rank when the ranks make different calls, which MPI would not
  /// detect.
  void do_check_same_call(const NamedCollective& call) override {
    const Clock::time_point begin = Clock::now();
    const std::int64_t mine = number_of(call);
    std::array<std::int64_t, 2> least{mine, -mine};
    std::vector<MPI_Request> request(1);
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, least.data(), least.size(), MPI_INT64_T, MPI_MIN,
                             context_, request.data()),
              "MPI_Iallreduce");
    wait_quietly(request, MPI_STATUSES_IGNORE);
    waited(std::chrono::duration<double>(Clock::now() - begin).count());
    if (least[0] == -least[1]) return;
    throw base::RunError(
        fmt::format("rank {} calls {} with {} elements, but other ranks make a different call",
                    rank(), call.name, call.data.count),
        contract::kExitCommunication);
  }

  template <class Body>
  void for_parts(const Span& data, const Body& body) const {
    for (std::int64_t first = 0; first < data.count; first += max_count_) {
      const Span part = data.part(first, std::min(max_count_, data.count - first));
      body(part.data, static_cast<int>(part.count));
    }
  }
  void reduce_parts(const Span& data, const Span& out, ReduceOp op, int root) const;
  void broadcast_parts(const Span& data, int root) const {
    for_parts(data, [&](void* part, int count) {
      check_mpi(MPI_Bcast(part, count, mpi_type(data.type), root, context_), "MPI_Bcast");
    });
  }

  MPI_Comm context_;
  std::shared_ptr<const Settings> settings_;
  std::int64_t max_count_;
};

void MpiCommunicator::do_all_reduce(Span data, ReduceOp op) {
  do_check_same_call({"all_reduce", data, op});
  const MPI_Op mpi_op = settings_->ops.of(data.type, op);
  for_parts(data, [&](void* part, int count) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, part, count, mpi_type(data.type), mpi_op, context_),
              "MPI_Allreduce");
  });
}

void MpiCommunicator::do_reduce_scatter(Span in, Span out, ReduceOp op) {
  do_check_same_call({"reduce_scatter", in, op});
  if (in.count <= max_count_) {
    check_mpi(MPI_Reduce_scatter_block(in.data, out.data, static_cast<int>(out.count),
                                       mpi_type(in.type), settings_->ops.of(in.type, op), context_),
              "MPI_Reduce_scatter_block");
    return;
  }
  for (int root = 0; root < size(); ++root) {
    reduce_parts(in.part(root * out.count, out.count), out, op, root);
  }
}

void MpiCommunicator::do_all_gather(Span in, Span out) {
  do_check_same_call({"all_gather", in});
  const Span mine = out.part(rank() * in.count, in.count);
  const bool in_place = in.data == mine.data;
  if (in.count <= max_count_) {
    const int count = static_cast<int>(in.count);
    const MPI_Datatype type = mpi_type(in.type);
    check_mpi(MPI_Allgather(in_place ? MPI_IN_PLACE : in.data, count, type, out.data, count, type,
                            context_),
              "MPI_Allgather");
    return;
  }
  // The data is too long for a single MPI_Allgather. With several MPI_Allgather calls, the parts of
  // a rank would not lie next to each other in `out`. Broadcasts can write each part to its place.
  if (!in_place) std::memcpy(mine.data, in.data, in.bytes());
  for (int root = 0; root < size(); ++root) {
    broadcast_parts(out.part(root * in.count, in.count), root);
  }
}

void MpiCommunicator::do_broadcast(Span data, int root) {
  do_check_same_call({"broadcast", data, ReduceOp::sum, root});
  broadcast_parts(data, root);
}

void MpiCommunicator::do_reduce(Span data, ReduceOp op, int root) {
  do_check_same_call({"reduce", data, op, root});
  reduce_parts(data, data, op, root);
}

/// Writes the reduction of `data` over all ranks to `out` of the root.
void MpiCommunicator::reduce_parts(const Span& data, const Span& out, ReduceOp op, int root) const {
  const MPI_Op mpi_op = settings_->ops.of(data.type, op);
  const MPI_Datatype type = mpi_type(data.type);
  const bool in_place = rank() == root && data.data == out.data;
  auto* to = static_cast<std::byte*>(out.data);
  for_parts(data, [&](void* part, int count) {
    check_mpi(MPI_Reduce(in_place ? MPI_IN_PLACE : part, to, count, type, mpi_op, root, context_),
              "MPI_Reduce");
    to += static_cast<std::size_t>(count) * bytes_of(data.type);
  });
}

void MpiCommunicator::do_exchange(Span out, int to, Span in, int from) {
  std::vector<MPI_Request> requests;
  std::vector<int> expected;
  // Empty messages are sent as well, because the receiver waits for them.
  const auto for_messages = [&](const Span& data, const auto& start) {
    if (data.count == 0) return start(data.data, 0);
    for_parts(data, start);
  };
  if (from != kNobody) {
    for_messages(in, [&](void* part, int count) {
      check_mpi(
          MPI_Irecv(part, count, mpi_type(in.type), from, 0, context_, &requests.emplace_back()),
          "MPI_Irecv");
      expected.push_back(count);
    });
  }
  if (to != kNobody) {
    for_messages(out, [&](void* part, int count) {
      // With MPI_Isend, the send of an empty message would complete before the receiver has
      // arrived.
      const auto send = count == 0 ? &MPI_Issend : &MPI_Isend;
      check_mpi(send(part, count, mpi_type(out.type), to, 0, context_, &requests.emplace_back()),
                "MPI_Isend");
    });
  }
  std::vector<MPI_Status> statuses(requests.size());
  wait_quietly(requests, statuses.data());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    int count = 0;
    MPI_Get_count(&statuses[i], mpi_type(in.type), &count);
    if (count == expected[i]) continue;
    throw base::RunError(fmt::format("rank {} expects {} elements, but rank {} sends {}", rank(),
                                     expected[i], from, count),
                         contract::kExitCommunication);
  }
}

std::unique_ptr<Communicator> MpiCommunicator::do_split(int color) {
  do_check_same_call({"split", {}});
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(context_, color, rank(), &part), "MPI_Comm_split");
  return std::make_unique<MpiCommunicator>(part, settings_);
}

}  // namespace

std::unique_ptr<Communicator> make_mpi(const MpiSession& session, std::int64_t max_count) {
  MPI_Comm context = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &context), "MPI_Comm_dup");
  auto settings = std::make_shared<MpiCommunicator::Settings>();
  settings->max_count = max_count;
  settings->all_reduce = session.all_reduce();
  return std::make_unique<MpiCommunicator>(context, std::move(settings));
}

extern const CommunicatorEntry mpi_entry;
const CommunicatorEntry mpi_entry{
    .name = "mpi", .summary = "processes of one or many nodes through MPI", .unavailable = nullptr};

// Start and end of MPI, and the placement of the ranks.

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> reason{};
  int length = 0;
  MPI_Error_string(code, reason.data(), &length);
  throw base::RunError(fmt::format("{} failed: {}", call, reason.data()),
                       contract::kExitCommunication);
}

MpiSession::MpiSession() : exceptions_(std::uncaught_exceptions()) {
  // Lets a rank that polls inside MPI yield its core. When ranks and threads outnumber the cores, a
  // polling rank could otherwise occupy the core that the awaited rank needs. When there are enough
  // cores, yielding costs nothing.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", /*overwrite=*/0);
  // This setting is required by choose_all_reduce(). While no algorithm is chosen, Open MPI selects
  // algorithms as usual.
  ::setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", /*overwrite=*/0);
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    throw base::RunError(
        "this MPI library cannot be called by several threads at the same time "
        "(MPI_THREAD_MULTIPLE)",
        contract::kExitCommunication);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() > exceptions_) abort(contract::kExitCommunication);
  MPI_Finalize();
}

void MpiSession::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

Placement MpiSession::placement() const {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  Placement result;
  MPI_Comm_rank(node, &result.local_rank);
  MPI_Comm_free(&node);
  const int first_of_node = result.local_rank == 0 ? 1 : 0;
  check_mpi(MPI_Allreduce(&first_of_node, &result.nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
            "MPI_Allreduce");

  constexpr int kLength = 256;
  std::array<char, kLength> name{};
  ::gethostname(name.data(), kLength - 1);
  std::vector<char> all(static_cast<std::size_t>(size_) * kLength);
  check_mpi(
      MPI_Allgather(name.data(), kLength, MPI_CHAR, all.data(), kLength, MPI_CHAR, MPI_COMM_WORLD),
      "MPI_Allgather");
  for (std::size_t at = 0; at < all.size(); at += kLength) result.hostnames.emplace_back(&all[at]);
  return result;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  // Format of Open MPI: "Open MPI v4.1.4, package: Debian OpenMPI, ident: …"
  std::string version(text.data(), static_cast<std::size_t>(length));
  version.resize(std::min(version.find_first_of(",\n"), version.size()));
  if (const auto v = version.find(" v"); v != std::string::npos) version.erase(v + 1, 1);
  return version;
}

}  // namespace dlscale::trainer
