// SPDX-License-Identifier: Apache-2.0
// Tests of how the settings of gradient synchronisation change the communication, and of rejected
// calls.
#include <torch/types.h>

#include <catch2/catch.hpp>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"
#include "trainer/sync/gradient_sync.hpp"
#include "trainer/sync/zero_gradient_buckets.hpp"
#include "trainer/sync/zero_parameter_partition.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

/// Number of elements and root of a reduction. The root is -1 for an all-reduce.
using Reduction = std::pair<std::int64_t, int>;
using Reductions = std::vector<Reduction>;

/// Overlay that records the reductions that pass through it.
class Reduced : public Overlay {
 public:
  using Overlay::Overlay;
  Reductions take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(seen_, {});
  }

 private:
  void do_all_reduce(Span data, ReduceOp op) override {
    note({data.count, -1});
    Overlay::do_all_reduce(data, op);
  }
  void do_reduce(Span data, ReduceOp op, int root) override {
    note({data.count, root});
    Overlay::do_reduce(data, op, root);
  }
  void note(const Reduction& reduction) {
    const std::lock_guard lock(mutex_);
    seen_.push_back(reduction);
  }
  std::mutex mutex_;
  Reductions seen_;
};

/// Adds gradients of these sizes to buckets, from the last parameter to the first. The parameters
/// lie one after another in a vector that two ranks share. Returns the reductions of rank 0. Throws
/// base::RunError if a mean is wrong.
Reductions reduced_to_owners(const std::vector<std::int64_t>& sizes, std::int64_t bucket_elements) {
  Reductions of_root;
  run_as_threads(2, [&](Communicator& communicator) {
    const base::SystemClock clock;
    Reduced reduced(communicator);
    CollectiveQueue queue(reduced, clock);
    std::vector<FlatRange> ranges;
    std::int64_t total = 0;
    for (const std::int64_t size : sizes) {
      ranges.push_back({total, size});
      total += size;
    }
    const std::int64_t part = (total + 1) / 2;
    const FlatRange mine{queue.rank() * part, part};
    GradientBuckets buckets({.elements = bucket_elements, .to_owners = true}, part, queue,
                            [&](const GradientPlace& place, const at::Tensor& mean) {
                              const FlatRange owned = place.range.shared_with(mine);
                              // The gradients of the two ranks are 1 and 3 times their position in
                              // the vector.
                              for (std::int64_t i = owned.first; i < owned.last(); ++i) {
                                const double expected = 2.0 * static_cast<double>(i);
                                if (mean[i - place.range.first].item<double>() != expected) {
                                  throw base::RunError("another mean");
                                }
                              }
                            });
    const at::Tensor all = at::arange(total, at::kDouble) * (1 + 2 * queue.rank());
    for (std::size_t i = sizes.size(); i-- > 0;) {
      buckets.add({i, ranges[i]}, all.narrow(0, ranges[i].first, ranges[i].count).clone());
    }
    buckets.finish();
    if (queue.rank() == 0) of_root = reduced.take();
  });
  return of_root;
}

const SyncEntry& ddp() {
  return base::find<SyncEntry>(sync_table(), "framework", "ddp");
}

/// Model that adds up three equal parameters.
struct Sum {
  std::vector<at::Tensor> parameters;
  std::vector<std::string> names{"a", "b", "c"};
  Sum() {
    for (int i = 0; i < 3; ++i) {
      parameters.push_back(at::ones({64, 64}, at::kDouble).set_requires_grad(true));
    }
  }
  at::Tensor forward() const {
    at::Tensor sum = at::zeros({}, at::kDouble);
    for (const at::Tensor& parameter : parameters) sum = sum + parameter.sum();
    return sum;
  }
};

/// One rank that trains a Sum with ddp.
struct DdpRank {
  std::unique_ptr<Communicator> alone = make_single();
  Reduced reduced{*alone};
  base::SystemClock clock;
  CollectiveQueue queue{reduced, clock};
  Sum model;
  std::unique_ptr<GradientSync> sync;

  explicit DdpRank(const contract::FrameworkOptions& options)
      : sync(ddp().make({.parameters = model.parameters,
                         .parameter_names = model.names,
                         .options = options,
                         .queue = queue,
                         .clock = clock})) {
    reduced.take();  // discards the reductions of the start
  }
};

/// Returns the reductions of each of four steps.
std::vector<Reductions> steps_of_ddp(contract::FrameworkOptions options) {
  // A bucket is half as large as a parameter.
  options.first_bucket_mb = options.bucket_cap_mb = 64 * 64 * 4 / (1024.0 * 1024.0);
  DdpRank rank(options);
  std::vector<Reductions> steps;
  for (int step = 0; step < 4; ++step) {
    rank.sync->before_forward(true);
    const at::Tensor output = rank.model.forward();
    rank.sync->before_backward(output);
    output.backward();
    rank.sync->after_backward();
    for (const at::Tensor& parameter : rank.model.parameters) parameter.mutable_grad().reset();
    steps.push_back(rank.reduced.take());
  }
  return steps;
}

}  // namespace

TEST_CASE("slices of a bucket with the same owner are reduced together") {
  CHECK(reduced_to_owners({3, 3, 3, 3}, 100) == Reductions{{6, 1}, {6, 0}});
  // The second parameter lies in both partitions. In the bucket, its part for rank 0 comes first.
  CHECK(reduced_to_owners({5, 5, 2}, 100) == Reductions{{2, 1}, {1, 0}, {4, 1}, {5, 0}});
  CHECK(reduced_to_owners({3, 3, 3, 3}, 3) == Reductions{{3, 1}, {3, 1}, {3, 0}, {3, 0}});
}

TEST_CASE(
    "stage 3 has one share of a block's gradients in flight with any number of micro-batches") {
  const auto alone = make_single();
  const base::SystemClock clock;
  CollectiveQueue queue(*alone, clock);
  const at::Tensor weights = at::ones({4}, at::kDouble).set_requires_grad(true);
  BlockShard shard({weights}, 0, queue);
  const auto sum = [&] { return shard.partition().grad()[3].item<double>(); };
  const double before[] = {0, 1, 3};
  for (int i = 1; i <= 3; ++i) {
    weights.mutable_grad() = at::full({4}, i, at::kDouble);
    shard.reduce_gradients();
    CHECK_FALSE(weights.grad().defined());
    CHECK(sum() == before[i - 1]);  // includes all parts except the part sent last
  }
  shard.finish_gradients();
  CHECK(sum() == 6);
  CHECK(shard.finish_gradients() == 0);
  CHECK(sum() == 6);
}

TEST_CASE("a static graph with find_unused_parameters reduces the same as without the option") {
  const auto plain = steps_of_ddp({.static_graph = true});
  CHECK(steps_of_ddp({.find_unused_parameters = true, .static_graph = true}) == plain);
  // The first step reduces everything at once, with the counts of used parameters. Later steps
  // reduce buckets.
  CHECK(plain.at(0) == Reductions{{3, -1}, {3 * 64 * 64, -1}});
  CHECK(plain.at(3) == Reductions(3, {64 * 64, -1}));
}

TEST_CASE("a second backward pass in a step of ddp is an error") {
  const std::string message =
      "ddp: one step has two backward passes, but the gradients of the second pass would not be "
      "reduced; combine both losses into one";
  DdpRank rank{contract::FrameworkOptions()};
  rank.sync->before_forward(true);
  const at::Tensor output = rank.model.forward();
  rank.sync->before_backward(output);
  output.backward({}, /*retain_graph=*/true);
  CHECK_THROWS_WITH(output.backward(), message);
  CHECK_THROWS_WITH(rank.sync->before_backward(rank.model.forward()), message);
  rank.sync->after_backward();
  rank.reduced.take();
  rank.sync->before_forward(false);  // passes without an exchange accumulate gradients
  for (int pass = 0; pass < 2; ++pass) {
    const at::Tensor another = rank.model.forward();
    rank.sync->before_backward(another);
    CHECK_NOTHROW(another.backward());
  }
  CHECK(rank.reduced.take().empty());
}
