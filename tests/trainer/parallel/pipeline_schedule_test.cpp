// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/stage_plan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

using namespace dlscale::trainer;
using Actions = std::vector<PipelineAction>;
constexpr auto F = PipelineAction::forward;
constexpr auto B = PipelineAction::backward;

namespace {

int most_stashed(const Actions& actions) {
  int stashed = 0, most = 0;
  for (const PipelineAction& action : actions) {
    stashed += action.kind == F ? 1 : -1;
    most = std::max(most, stashed);
  }
  return most;
}

/// Returns the number of ticks until all stages are done. Every action takes one tick and waits for
/// the actions that it depends on.
int ticks(const char* name, int stages, int micro_batches) {
  std::vector<Actions> todo;
  for (int s = 0; s < stages; ++s) {
    todo.push_back(pipeline_schedule(name, s, stages, micro_batches));
  }
  std::vector<std::size_t> at(todo.size(), 0);
  std::map<std::tuple<int, int, int>, int> done;  // tick by stage, kind and micro-batch
  for (int tick = 1; tick < 1000; ++tick) {
    bool all = true;
    for (int s = 0; s < stages; ++s) {
      auto& next = at[static_cast<std::size_t>(s)];
      const Actions& mine = todo[static_cast<std::size_t>(s)];
      if (next == mine.size()) continue;
      all = false;
      const auto [kind, i] = mine[next];
      const int source = kind == F ? s - 1 : s + 1;
      const bool free = source < 0 || source == stages;
      const auto found = done.find({source, kind, i});
      if (!free && (found == done.end() || found->second >= tick)) continue;
      done[{s, kind, i}] = tick;
      ++next;
    }
    if (all) return tick - 1;
  }
  return -1;
}

}  // namespace

TEST_CASE("1f1b orders the passes of the first of three stages over four micro-batches") {
  CHECK(pipeline_schedule("1f1b", 0, 3, 4) ==
        Actions{{F, 0}, {F, 1}, {F, 2}, {B, 0}, {F, 3}, {B, 1}, {B, 2}, {B, 3}});
}

TEST_CASE("gpipe runs all forward passes first") {
  CHECK(pipeline_schedule("gpipe", 1, 2, 2) == Actions{{F, 0}, {F, 1}, {B, 0}, {B, 1}});
}

TEST_CASE("every micro-batch has one forward pass and then one backward pass") {
  for (const char* name : {"1f1b", "gpipe"}) {
    for (int stages = 1; stages <= 4; ++stages) {
      for (int stage = 0; stage < stages; ++stage) {
        for (int micro_batches = 1; micro_batches <= 6; ++micro_batches) {
          const Actions actions = pipeline_schedule(name, stage, stages, micro_batches);
          REQUIRE(actions.size() == 2 * static_cast<std::size_t>(micro_batches));
          for (int i = 0; i < micro_batches; ++i) {
            const auto forward = std::find(actions.begin(), actions.end(), PipelineAction{F, i});
            const auto backward = std::find(actions.begin(), actions.end(), PipelineAction{B, i});
            REQUIRE(backward != actions.end());
            REQUIRE(forward < backward);
          }
        }
      }
    }
  }
}

TEST_CASE("1f1b stashes at most one micro-batch per remaining stage, and gpipe stashes all") {
  for (int stage = 0; stage < 4; ++stage) {
    CHECK(most_stashed(pipeline_schedule("1f1b", stage, 4, 8)) == 4 - stage);
    CHECK(most_stashed(pipeline_schedule("1f1b", stage, 4, 2)) == std::min(4 - stage, 2));
    CHECK(most_stashed(pipeline_schedule("gpipe", stage, 4, 8)) == 8);
  }
}

TEST_CASE("the ideal step takes 2 (M + S - 1) ticks with either schedule") {
  for (const char* name : {"1f1b", "gpipe"}) {
    for (int stages = 1; stages <= 4; ++stages) {
      for (int micro_batches = 1; micro_batches <= 8; ++micro_batches) {
        CHECK(ticks(name, stages, micro_batches) == 2 * (micro_batches + stages - 1));
      }
    }
  }
}
