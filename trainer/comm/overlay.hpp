// SPDX-License-Identifier: Apache-2.0
// A communicator that lies over another and does everything as the other does.
#pragma once

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// For those that do one call in another way. Has counters of its own; the inner one counts what
/// reaches it. Parts that are split off are the inner one's.
class Overlay : public Communicator {
 public:
  /// `inner` must outlive it.
  explicit Overlay(Communicator& inner) : Communicator(inner.rank(), inner.size()), inner_(inner) {}
  std::string all_reduce_name() const override { return inner_.all_reduce_name(); }
  bool takes(Memory memory) const override { return inner_.takes(memory); }
  std::shared_ptr<const Fence> fence() const override { return inner_.fence(); }

 protected:
  Communicator& inner() { return inner_; }
  const Communicator& inner() const { return inner_; }

  void do_all_reduce(Span data, ReduceOp op) override {
    inner_.all_reduce(data, op);
    waited(inner_.last_wait_s());
  }
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override {
    inner_.reduce_scatter(in, out, op);
    waited(inner_.last_wait_s());
  }
  void do_all_gather(Span in, Span out) override {
    inner_.all_gather(in, out);
    waited(inner_.last_wait_s());
  }
  void do_broadcast(Span data, int root) override {
    inner_.broadcast(data, root);
    waited(inner_.last_wait_s());
  }
  void do_reduce(Span data, ReduceOp op, int root) override {
    inner_.reduce(data, op, root);
    waited(inner_.last_wait_s());
  }
  void do_exchange(Span out, int to, Span in, int from) override {
    inner_.exchange(out, to, in, from);
  }
  void do_meet(const NamedCollective& call) override {
    inner_.meet(call);
    waited(inner_.last_wait_s());
  }
  std::unique_ptr<Communicator> do_split(int color) override { return inner_.split(color); }

 private:
  Communicator& inner_;
};

}  // namespace dlscale::trainer
