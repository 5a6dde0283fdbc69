// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/node_residuals.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "analysis/report/tables/metrics.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::notes;
using test::number;
using test::text;

/// Function that returns the slowdown factor for the ranks of a host in a run.
using Pace = std::function<double(const std::string& host, int run)>;

/// Returns one run for each list of nodes. The run has four ranks on each node and ten epochs of
/// about 8 s, with 1 % noise.
Frame frame_on(const std::vector<std::vector<std::string>>& nodes_of_runs, const Pace& pace,
               unsigned seed = 1) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise(0, 0.01);
  Frame frame = test::frame_of({});
  for (std::size_t i = 0; i < nodes_of_runs.size(); ++i) {
    LaunchRanks launch;
    for (const std::string& host : nodes_of_runs[i])
      launch.hosts.insert(launch.hosts.end(), 4, host);
    for (int epoch = 0; epoch < 10; ++epoch) {
      launch.epochs.push_back({100, {}});
      for (const std::string& host : launch.hosts) {
        launch.epochs.back().work_s.push_back(8 * pace(host, static_cast<int>(i)) *
                                              std::exp(noise(engine)));
      }
    }
    frame.runs.push_back(test::run_at(static_cast<int>(launch.hosts.size()), 1000));
    frame.runs.back().ranks = {launch};
  }
  return frame;
}

std::vector<std::vector<std::string>> all_on(int runs) {
  return std::vector<std::vector<std::string>>(static_cast<std::size_t>(runs),
                                               {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"});
}

const NodeResidual& of(const NodeResiduals& found, const std::string& host) {
  for (const NodeResidual& node : found.nodes) {
    if (node.host == host) return node;
  }
  throw base::RunError("no node " + host);
}

int slow_in(const NodeResiduals& found) {
  int count = 0;
  for (const NodeResidual& node : found.nodes) count += node.finding == NodeFinding::Slow;
  return count;
}

}  // namespace

TEST_CASE("only a node that is always 10 % slower is found") {
  const Frame frame =
      frame_on(all_on(6), [](const std::string& host, int) { return host == "n3" ? 1.1 : 1.0; });
  const NodeResiduals found = node_residuals(frame);
  REQUIRE(found.nodes.size() == 8);
  CHECK(found.compared == 6);
  const NodeResidual& first = found.nodes[0];
  CHECK(first.host == "n3");
  CHECK(first.finding == NodeFinding::Slow);
  CHECK(first.ranks == 4);
  CHECK(first.launches == 6);
  CHECK(first.slowdown.value == Approx(1.1).margin(0.01));
  CHECK(first.slowdown.interval.kind == Interval::Kind::Confidence95);
  CHECK(first.slowdown.interval.low > 1.08);
  CHECK(*first.z > 10);
  CHECK(first.p == Approx(std::pow(8, -6)));
  CHECK(*first.adjusted_p == Approx(8 * first.p));
  CHECK(first.lost_s == Approx(6 * 10 * 8 * 0.1).epsilon(0.15));
  CHECK(first.lost_gpu_s == Approx(32 * first.lost_s));
  CHECK(slow_in(found) == 1);
}

TEST_CASE("one slow rank of four makes its node slow") {
  Frame frame = frame_on(all_on(6), [](const std::string&, int) { return 1.0; });
  for (RunRow& run : frame.runs) {
    for (RankEpoch& epoch : run.ranks[0].epochs) epoch.work_s[9] *= 1.2;
  }
  const NodeResiduals found = node_residuals(frame);
  CHECK(found.nodes[0].host == "n3");
  CHECK(found.nodes[0].finding == NodeFinding::Slow);
  CHECK(slow_in(found) == 1);
}

TEST_CASE("with equal nodes at most 5 of 100 studies report a slow node") {
  int wrong = 0;
  constexpr int kStudies = 400;
  for (unsigned seed = 0; seed < kStudies; ++seed) {
    const Frame frame = frame_on(
        all_on(4), [](const std::string&, int) { return 1.0; }, 100 + seed);
    wrong += slow_in(node_residuals(frame)) > 0;
  }
  INFO(wrong << " of " << kStudies);
  CHECK(wrong <= 0.05 * kStudies);
}

TEST_CASE("a node that only had slow runs is not blamed") {
  std::vector<std::vector<std::string>> runs;
  for (int i = 0; i < 8; ++i) {
    runs.push_back(i < 4 ? std::vector<std::string>{"n1", "n2", "n3", "n4"}
                         : std::vector<std::string>{"n5", "n6", "n7", "n8"});
  }
  const NodeResiduals found =
      node_residuals(frame_on(runs, [](const std::string&, int run) { return run < 4 ? 1 : 2; }));
  REQUIRE(found.nodes.size() == 8);
  CHECK(slow_in(found) == 0);
  CHECK(of(found, "n6").slowdown.value == Approx(1).margin(0.02));
}

TEST_CASE("a single launch gives no verdict but reports the outlier") {
  const NodeResiduals found = node_residuals(
      frame_on(all_on(1), [](const std::string& host, int) { return host == "n3" ? 1.3 : 1.0; }));
  CHECK(found.nodes[0].host == "n3");
  CHECK(found.nodes[0].finding == NodeFinding::StandsOut);
  CHECK_FALSE(found.nodes[0].adjusted_p.has_value());
  CHECK(of(found, "n1").finding == NodeFinding::TooFewTimes);
  CHECK(found.nodes[0].slowdown.interval.kind == Interval::Kind::None);
}

TEST_CASE("two nodes are compared with each other, which requires six launches") {
  const auto pace = [](const std::string& host, int) { return host == "n2" ? 1.1 : 1.0; };
  std::vector<std::vector<std::string>> runs(5, {"n1", "n2"});
  CHECK(slow_in(node_residuals(frame_on(runs, pace))) == 0);
  runs.push_back({"n2", "n1"});
  const NodeResiduals found = node_residuals(frame_on(runs, pace));
  CHECK(found.nodes[0].host == "n2");
  CHECK(found.nodes[0].finding == NodeFinding::Slow);
  CHECK(found.nodes[0].slowdown.value == Approx(1.1).margin(0.02));
  CHECK(found.nodes[1].slowdown.value == Approx(1 / 1.1).margin(0.02));
  CHECK_FALSE(found.nodes[0].z.has_value());
}

TEST_CASE("stages of a divided model are compared with the same stage of other replicas") {
  Frame frame = frame_on(all_on(6), [](const std::string&, int) { return 1.0; });
  for (RunRow& run : frame.runs) {
    run.ranks[0].stages = 8;  // two nodes per replica; the slow nodes are in the second stage
    for (RankEpoch& epoch : run.ranks[0].epochs) {
      for (std::size_t rank = 0; rank < epoch.work_s.size(); ++rank) {
        if (rank % 8 >= 4) epoch.work_s[rank] *= 3;
        if (rank / 4 == 5) epoch.work_s[rank] *= 1.2;
      }
    }
  }
  const NodeResiduals found = node_residuals(frame);
  CHECK(found.nodes[0].host == "n6");
  CHECK(slow_in(found) == 1);
  CHECK(of(found, "n2").slowdown.value == Approx(1).margin(0.02));
  for (RunRow& run : frame.runs) run.ranks[0].stages = 32;  // no two ranks are comparable
  CHECK(node_residuals(frame).nodes.empty());
  CHECK(node_residuals(frame).alone == 6);
}

TEST_CASE("launches with missing hosts, one node or invalid numbers are counted and not compared") {
  Frame frame = frame_on({{"n1", "n2"}, {"n1"}, {"n1", "n2"}, {"n1", "n2"}},
                         [](const std::string&, int) { return 1.0; });
  frame.runs[0].ranks[0].hosts.clear();
  for (RankEpoch& epoch : frame.runs[2].ranks[0].epochs) epoch.work_s.pop_back();
  for (RankEpoch& epoch : frame.runs[3].ranks[0].epochs) epoch.work_s[1] = std::nan("");
  const NodeResiduals found = node_residuals(frame);
  CHECK(found.unknown == 1);
  CHECK(found.alone == 2);
  CHECK(found.compared == 1);
  CHECK(of(found, "n1").slowdown.value == Approx(1).margin(0.05));
}

TEST_CASE("the node table shows the cost of a slow node and the excluded launches") {
  Frame frame =
      frame_on(all_on(6), [](const std::string& host, int) { return host == "n3" ? 1.1 : 1.0; });
  frame.runs[5].ranks[0].hosts.assign(32, "n1");
  const Table table = node_table(frame, {});
  REQUIRE(table.rows.size() == 8);
  CHECK(text(table, 0, "host") == "n3");
  CHECK(text(table, 0, "verdict") == "slow");
  CHECK(text(table, 7, "verdict") == "not slower");
  CHECK(number(table, 0, "slowdown") == Approx(1.1).margin(0.01));
  CHECK(number(table, 0, "n") == 5);
  CHECK_THAT(notes(table), Contains("n3: if this node were") && Contains("GPU-hours) less"));
  CHECK_THAT(notes(table), Contains("1 launch not compared: only one node"));
  CHECK(std::string(find_metric("nodes").name) == "nodes");
  CHECK(node_table(test::frame_of({test::run_at(4, 1000)}), {}).rows.empty());
}

}  // namespace dlscale::analysis
