// SPDX-License-Identifier: Apache-2.0
// Communicator of a single rank, where every collective is trivial.
#include "trainer/comm/single.hpp"

#include <cstring>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {
namespace {

class SingleCommunicator : public Communicator {
 public:
  SingleCommunicator() : Communicator(0, 1) {}

 private:
  void do_all_reduce(Span, ReduceOp) override {}
  void do_reduce_scatter(Span in, Span out, ReduceOp) override { copy(in, out); }
  void do_all_gather(Span in, Span out) override { copy(in, out); }
  void do_broadcast(Span, int) override {}
  void do_reduce(Span, ReduceOp, int) override {}
  void do_exchange(Span out, int to, Span in, int from) override {
    if (to == from && out.count == in.count && out.type == in.type) return copy(out, in);
    throw base::RunError("an exchange on a single rank must receive exactly what it sends",
                         contract::kExitCommunication);
  }
  void do_check_same_call(const NamedCollective&) override {}
  std::unique_ptr<Communicator> do_split(int) override { return make_single(); }

  static void copy(const Span& from, const Span& to) {
    if (from.count > 0 && from.data != to.data) std::memcpy(to.data, from.data, from.bytes());
  }
};

}  // namespace

std::unique_ptr<Communicator> make_single() {
  return std::make_unique<SingleCommunicator>();
}

extern const CommunicatorEntry single_entry;
const CommunicatorEntry single_entry{
    .name = "single", .summary = "a single rank, without communication", .unavailable = nullptr};

}  // namespace dlscale::trainer
