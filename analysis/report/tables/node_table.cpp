// SPDX-License-Identifier: Apache-2.0
// The table of nodes: which of them computed more slowly than their neighbours.
#include <fmt/format.h>

#include "analysis/metrics/scaling/node_residuals.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

std::string node_word_of(NodeFinding finding) {
  switch (finding) {
    case NodeFinding::Slow:
      return "slow";
    case NodeFinding::StandsOut:
      return "stands out, too few launches to be sure";
    case NodeFinding::NotSlower:
      return "not slower";
    case NodeFinding::TooFewTimes:
      return "too few launches";
  }
  return "";
}

/// "2 launches of one node alone"; empty for none.
void add_count(std::vector<std::string>& notes, int count, const char* text) {
  if (count > 0) notes.push_back(fmt::format("{} {}", base::count_of(count, "launch"), text));
}

std::string cost_of(const NodeResidual& node, const NodeResiduals& all, const std::string& worker) {
  return fmt::format(
      "{}: with a node there that is as fast as the next slowest, training would have taken at "
      "least {:.0f} s ({:.1f} %, {:.2f} {}-hours) less",
      node.host, node.lost_s, 100 * node.lost_s / all.work_s, node.lost_gpu_s / kHour, worker);
}

std::vector<std::string> node_notes_of(const Frame& frame, const NodeResiduals& found) {
  const std::string worker = worker_word(frame);
  std::vector<std::string> notes{
      "nodes are compared with those of the same launch alone, by the time in which a rank waits "
      "for no other (without exposed communication and pipeline bubbles), slowest rank of a node, "
      "start-up left out",
      "slowdown: ratio to the median of the other nodes, median over epochs, Hodges-Lehmann over "
      "launches with its 95 % interval, or its range where n is too small for one; z: modified, by "
      "the nodes' MAD",
      "p: exact, of ranks within launches, one-sided; adjusted among all nodes that could be told "
      "(Holm): a node is called slow by chance in at most 5 of 100 tables"};
  for (const NodeResidual& node : found.nodes) {
    if (node.finding == NodeFinding::Slow) notes.push_back(cost_of(node, found, worker));
  }
  add_count(notes, found.alone, "of one node, or of nodes without work in common: not compared");
  add_count(notes, found.unknown, "that did not say where its ranks were: not compared");
  notes.push_back(describe_use(frame));
  return notes;
}

}  // namespace

Table node_table(const Frame& frame, const AnalysisOptions&) {
  const NodeResiduals found = node_residuals(frame);
  const std::string hours = worker_word(frame) + "-h";
  Table table{"nodes",
              "Which node was slow in " + frame.study,
              node_notes_of(frame, found),
              {{"host", "node"},
               {"ranks", "ranks"},
               {"n", "n"},
               {"slowdown", "slowdown", "", 3},
               {"slowdown", "interval", "", 3, 1, true},
               {"z", "z", "", 1},
               {"p", "p", "", 4, 1, false, true},
               {"adjusted_p", "adjusted p", "", 4, 1, false, true},
               {"others_waited_s", "others waited", "s", 1},
               {"others_waited_gpu_hours", "others waited", hours, 3},
               {"verdict", "verdict"}},
              {}};
  for (const NodeResidual& node : found.nodes) {
    Row row;
    row.text(node.host).number(static_cast<double>(node.ranks));
    row.number(static_cast<double>(node.launches));
    row.number(node.slowdown.value).interval(node.slowdown.interval);
    row.number(node.z).number(node.p).number(node.adjusted_p);
    row.number(node.lost_s).number(node.lost_gpu_s / kHour);
    row.text(node_word_of(node.finding)).into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
