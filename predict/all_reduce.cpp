// SPDX-License-Identifier: Apache-2.0
#include "predict/all_reduce.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::predict {
namespace {

double share(int ranks) {
  return (ranks - 1.0) / ranks;
}

/// Returns the number of levels of a binary tree of ranks.
double depth(int ranks) {
  return std::ceil(std::log2(ranks));
}

Seconds summing(const Link& link, Bytes message, Bytes number) {
  return Flop{message / number} / link.summation;
}

/// Returns a link with the lowest bandwidth and the lowest summation rate of all links that a
/// message passes.
Link narrowest(const Network& network, Placement ranks) {
  if (ranks.nodes <= 1) return network.inside;
  if (ranks.gpus <= ranks.nodes) return network.between;
  return {{},
          std::min(network.inside.bandwidth, network.between.bandwidth),
          std::min(network.inside.summation, network.between.summation)};
}

Seconds ring(const Network& network, Placement ranks, Bytes message) {
  Link link = narrowest(network, ranks);
  link.latency = {};
  const double outside = 2.0 * (ranks.nodes - 1);
  const double within = 2.0 * (ranks.gpus - 1) - outside;
  return network.inside.latency * within + network.between.latency * outside +
         ring_all_reduce(link, ranks.gpus, message);
}

Seconds tree(const Network& network, Placement ranks, Bytes message) {
  Link link = narrowest(network, ranks);
  link.latency = {};
  const int on_node = (ranks.gpus + ranks.nodes - 1) / ranks.nodes;
  return network.inside.latency * (2 * depth(on_node)) +
         network.between.latency * (2 * depth(ranks.nodes)) +
         tree_all_reduce(link, ranks.gpus, message);
}

}  // namespace

Seconds ring_all_reduce(const Link& link, int ranks, Bytes message, Bytes number) {
  if (ranks < 2) return {};
  return link.latency * (2.0 * (ranks - 1)) + 2 * share(ranks) * (message / link.bandwidth) +
         share(ranks) * summing(link, message, number);
}

Seconds tree_all_reduce(const Link& link, int ranks, Bytes message, Bytes number) {
  if (ranks < 2) return {};
  return link.latency * (2 * depth(ranks)) + 2 * (message / link.bandwidth) +
         summing(link, message, number);
}

Seconds all_reduce(const Network& network, Placement ranks, Bytes message, AllReduce algorithm) {
  if (ranks.gpus < 2) return {};
  if (algorithm == AllReduce::ring) return ring(network, ranks, message);
  if (algorithm == AllReduce::tree) return tree(network, ranks, message);
  return std::min(ring(network, ranks, message), tree(network, ranks, message));
}

Bytes sent_by_each(int ranks, Bytes message) {
  return message * (2 * share(ranks));
}

}  // namespace dlscale::predict
