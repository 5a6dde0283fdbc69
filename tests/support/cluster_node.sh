#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs as process 1 of a node's namespaces. The script sets the name, the network and the shared
# memory of the node, and then runs the node's daemon.
# Usage: cluster_node.sh NAME ADDRESS DAEMON [ARGUMENT]...
set -euo pipefail

hostname "$1"
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
ip link set lo up
limit=$((SECONDS + 20))
until ip link set eth0 up 2>/dev/null; do # start_node connects eth0
  ((SECONDS < limit)) || exit 1
  sleep 0.02
done
ip address add "$2/24" dev eth0
"${@:3}" &
wait # this also reaps processes that jobs leave behind
