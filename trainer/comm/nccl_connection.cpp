// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/nccl_connection.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace {

/// Time limit for closing the connection without an abort. Closing needs all ranks, so it completes
/// only if the ranks end at about the same time.
constexpr std::chrono::seconds kGoodbye{5};

ncclConfig_t behind_the_call() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

}  // namespace

NcclConnection::NcclConnection(int rank, int size, const ncclUniqueId& id, RetryPolicy patience)
    : patience_(patience) {
  ncclConfig_t config = behind_the_call();
  settle(ncclCommInitRankConfig(&comm_, size, id, rank, &config), "connecting the ranks");
}

std::unique_ptr<NcclConnection> NcclConnection::split(NcclConnection& whole, int color, int rank) {
  std::unique_ptr<NcclConnection> part(new NcclConnection(whole.patience_));
  ncclConfig_t config = behind_the_call();
  // ncclCommSplit returns before the split is complete. NCCL sets part->comm_ before whole.settle()
  // returns.
  whole.settle(ncclCommSplit(whole.comm_, color, rank, &part->comm_, &config), "split");
  part->settle(ncclSuccess, "split");
  return part;
}

NcclConnection::~NcclConnection() {
  if (comm_ == nullptr) return;
  // The other ranks do not know about an exception on this rank and will not close the connection,
  // so this rank must abort it.
  if (std::uncaught_exceptions() > 0) {
    abort();
    return;
  }
  ncclCommFinalize(comm_);
  const bool settled = wait_until([this] { return state() != ncclInProgress; }, kGoodbye);
  if (settled && state() == ncclSuccess) {
    ncclCommDestroy(comm_);
  } else {
    abort();
  }
}

void NcclConnection::run(const char* name, const Call& call) {
  if (comm_ == nullptr) fail(name, "the connection has been aborted");
  settle(call(comm_, stream_.get()), name);
  const CudaMark done(stream_.get());
  ncclResult_t now = ncclSuccess;
  const auto is_over = [&] {
    now = state();
    return (now != ncclSuccess && now != ncclInProgress) || done.is_passed();
  };
  if (!wait_until(is_over, patience_)) fail_late(name);
  require_success(now, name);
}

ncclResult_t NcclConnection::state() const {
  ncclResult_t of_comm = ncclInternalError;
  const ncclResult_t of_call = ncclCommGetAsyncError(comm_, &of_comm);
  return of_call == ncclSuccess ? of_comm : of_call;
}

/// Waits until NCCL has completed the operation that returned `result`. NCCL allows no other call
/// on this connection before that.
void NcclConnection::settle(ncclResult_t result, const char* name) {
  if (result != ncclInProgress) require_success(result, name);
  if (comm_ == nullptr) fail(name, "NCCL created no communicator");
  ncclResult_t now = ncclInProgress;
  const auto is_over = [&] {
    now = state();
    return now != ncclInProgress;
  };
  if (!wait_until(is_over, patience_)) fail_late(name);
  require_success(now, name);
}

void NcclConnection::require_success(ncclResult_t result, const char* name) {
  if (result == ncclSuccess) return;
  const std::string detail = ncclGetLastError(comm_);
  fail(name, fmt::format("{}{}{}", ncclGetErrorString(result), detail.empty() ? "" : ": ", detail));
}

void NcclConnection::abort() {
  if (comm_ != nullptr) ncclCommAbort(comm_);
  comm_ = nullptr;
}

void NcclConnection::fail(const char* name, const std::string& why) {
  abort();
  throw base::RunError(fmt::format("NCCL: {}: {}", name, why), contract::kExitCommunication);
}

void NcclConnection::fail_late(const char* name) {
  fail(name,
       fmt::format("the operation is not complete after {:.0f} s: a rank or the network has failed",
                   patience_.count()));
}

}  // namespace dlscale::trainer
