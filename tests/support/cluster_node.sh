#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Process 1 of a node's namespaces: gives the node its name, its network and memory of its own, then
# runs the node's daemon. usage: cluster_node.sh NAME ADDRESS DAEMON [ARGUMENT]...
set -euo pipefail

hostname "$1"
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
ip link set lo up
limit=$((SECONDS + 20))
until ip link set eth0 up 2>/dev/null; do # the cluster plugs it in
  ((SECONDS < limit)) || exit 1
  sleep 0.02
done
ip address add "$2/24" dev eth0
"${@:3}" &
wait # and reaps what jobs leave behind
