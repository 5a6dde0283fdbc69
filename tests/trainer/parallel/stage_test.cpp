// SPDX-License-Identifier: Apache-2.0
// Tests of what a stage of a pipeline keeps between the forward and the backward pass.
#include "trainer/parallel/stage.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "tests/trainer/block_model.hpp"
#include "trainer/parallel/stage_plan.hpp"

using namespace dlscale;

namespace {

constexpr int kStages = 4, kMicroBatches = 8;

/// Counter of existing autograd graphs. Each graph holds a mark, and the counter counts the marks.
class Graphs {
 public:
  at::Tensor mark(const at::Tensor& output) {
    output.register_hook([kept = std::make_shared<Mark>(*this)](const at::Tensor&) {});
    return output;
  }
  int now = 0, most = 0;

 private:
  struct Mark {
    explicit Mark(Graphs& graphs) : of(graphs) { of.most = std::max(of.most, ++of.now); }
    ~Mark() { --of.now; }
    Mark(const Mark&) = delete;
    Graphs& of;
  };
};

}  // namespace

TEST_CASE("a stage keeps only the graphs of the micro-batches that its schedule stashes") {
  for (const std::string schedule : {"1f1b", "gpipe"}) {
    for (int stage = 0; stage < kStages; ++stage) {
      INFO(schedule << ", stage " << stage);
      Graphs graphs;
      test::BlockModel model;
      model.add(at::ones({2, 2}), [&](const at::Tensor& input, const at::Tensor& parameter) {
        return graphs.mark(at::mm(input, parameter));
      });
      trainer::Stage work(model, 0, 1);
      for (const auto& action :
           trainer::pipeline_schedule(schedule, stage, kStages, kMicroBatches)) {
        if (action.kind == trainer::PipelineAction::forward) {
          work.forward(action.micro_batch, at::ones({1, 2}).set_requires_grad(true));
        } else {
          work.backward(action.micro_batch, at::ones({1, 2}));
        }
      }
      CHECK(graphs.most == (schedule == "1f1b" ? kStages - stage : kMicroBatches));
      CHECK(graphs.now == 0);
    }
  }
}
