// SPDX-License-Identifier: Apache-2.0
// How long an all-reduce takes, from the latency and the bandwidth of links.
#pragma once

#include <limits>

#include "predict/units.hpp"

namespace dlscale::predict {

/// One hop from a rank to the next.
struct Link {
  Seconds latency;           ///< α
  BytesPerSecond bandwidth;  ///< 1/β
  /// 1/γ: additions of what arrives to what is there.
  FlopPerSecond summation{std::numeric_limits<double>::infinity()};
};

/// 2(P-1)α + 2((P-1)/P)nβ + ((P-1)/P)(n/δ)γ. Barrachina et al., Computing 105(5), 2023, eq (1).
Seconds ring_all_reduce(const Link& link, int ranks, Bytes message, Bytes number = kSingle);

/// Two binary trees, each with half of the message, up and down again: 2⌈log₂P⌉α + 2nβ + (n/δ)γ.
/// Sanders, Speck, Träff: Two-tree algorithms for full bandwidth broadcast, reduction and scan,
/// 2009.
Seconds tree_all_reduce(const Link& link, int ranks, Bytes message, Bytes number = kSingle);

enum class AllReduce { ring, tree, fastest };

/// Nodes of several GPUs: ranks of a node are joined by `inside`, nodes by `between`, whose
/// bandwidth is that of all of a node's adaptors.
struct Network {
  Link inside;
  Link between;
  /// Algorithm of all-reduces, unless a run asks for another one.
  AllReduce algorithm = AllReduce::fastest;
};

/// Where ranks are.
struct Placement {
  int nodes = 1;
  int gpus = 1;  ///< ranks on all nodes together
};

/// Of so many ranks that fill one node after the other.
constexpr Placement placement(int gpus, int gpus_per_node) {
  return {(gpus - 1) / gpus_per_node + 1, gpus};
}

/// On a ring 2(N-1) hops of 2(P-1) leave their node, in trees 2⌈log₂N⌉; the narrowest link on the
/// way bounds the bandwidth. Nothing for one rank.
Seconds all_reduce(const Network& network, Placement ranks, Bytes message,
                   AllReduce algorithm = AllReduce::fastest);

/// Bytes that each GPU sends in an all-reduce, whatever the algorithm, at least: 2((P-1)/P)n.
Bytes sent_by_each(int ranks, Bytes message);

}  // namespace dlscale::predict
