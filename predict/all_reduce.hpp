// SPDX-License-Identifier: Apache-2.0
// Predicts the time of an all-reduce from the latency and the bandwidth of links.
#pragma once

#include <limits>

#include "predict/units.hpp"

namespace dlscale::predict {

/// Link from a rank to the next rank.
struct Link {
  Seconds latency;           ///< latency α of one hop from a rank to the next
  BytesPerSecond bandwidth;  ///< bandwidth, 1/β with β in seconds per byte
  /// Rate at which a rank adds received numbers to its own numbers, 1/γ.
  FlopPerSecond summation{std::numeric_limits<double>::infinity()};
};

/// Returns the time of a ring all-reduce: 2(P-1)α + 2((P-1)/P)nβ + ((P-1)/P)(n/δ)γ. P is `ranks`, n
/// is the size of `message` in bytes, and δ is `number`, the size of one number in bytes. `link`
/// contains the latency α, the bandwidth 1/β and the summation rate 1/γ. Returns 0 for one rank.
/// Barrachina et al., Computing 105(5), 2023, eq (1).
Seconds ring_all_reduce(const Link& link, int ranks, Bytes message, Bytes number = kSingle);

/// Returns the time of an all-reduce on two binary trees: 2⌈log₂P⌉α + 2nβ + (n/δ)γ. P is `ranks`, n
/// is the size of `message` in bytes, and δ is `number`, the size of one number in bytes. `link`
/// contains the latency α, the bandwidth 1/β and the summation rate 1/γ. Each of the two trees
/// sends half of the message up to its root and the sums down again. Returns 0 for one rank.
/// Sanders, Speck, Träff: Two-tree algorithms for full bandwidth broadcast, reduction and scan,
/// 2009.
Seconds tree_all_reduce(const Link& link, int ranks, Bytes message, Bytes number = kSingle);

/// Algorithm of an all-reduce. `fastest` selects the ring or the trees, whichever takes less time.
enum class AllReduce { ring, tree, fastest };

/// Network of nodes with several GPUs each. `inside` connects the ranks of a node. `between`
/// connects nodes, and its bandwidth is the sum over all network adapters of a node.
struct Network {
  Link inside;
  Link between;
  /// Algorithm for runs that do not request a particular algorithm.
  AllReduce algorithm = AllReduce::fastest;
};

/// Number of nodes and GPUs on which ranks run.
struct Placement {
  int nodes = 1;
  int gpus = 1;  ///< number of ranks on all nodes together
};

/// Returns the placement of `gpus` ranks that fill one node after another.
constexpr Placement placement(int gpus, int gpus_per_node) {
  return {(gpus - 1) / gpus_per_node + 1, gpus};
}

/// Returns the time of an all-reduce of `message` on P ranks and N nodes. In a ring, 2(N-1) of the
/// 2(P-1) hops are between nodes. In trees, 2⌈log₂N⌉ hops are between nodes. The bandwidth is the
/// lowest bandwidth of all links that the message passes. Returns 0 for one rank.
Seconds all_reduce(const Network& network, Placement ranks, Bytes message,
                   AllReduce algorithm = AllReduce::fastest);

/// Returns the minimum number of bytes that each of P GPUs sends in an all-reduce of n bytes with
/// any algorithm: 2((P-1)/P)n.
Bytes sent_by_each(int ranks, Bytes message);

}  // namespace dlscale::predict
