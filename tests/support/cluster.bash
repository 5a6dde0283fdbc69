# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the cluster fixtures share: a cluster is a tree of processes in namespaces of its own.
#
# Outside, a fixture checks what it needs and calls `enter_cluster`, which runs the same script
# again as process 1 of new namespaces. There everything below /run is private memory, the network
# holds only this cluster, and nothing of the machine is changed. When process 1 ends, however it
# ends, the kernel ends every daemon with it: there is nothing to take down.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C
state=/run/cluster # inside the namespaces

skip() {
  if [[ -n ${DLSCALE_REQUIRE_SCHEDULERS:-} ]]; then
    echo "FAILED, as DLSCALE_REQUIRE_SCHEDULERS is set: $*" >&2
    exit 1
  fi
  echo "skipped: $*" >&2
  exit 77
}

# need PROGRAM...: skips when one is missing.
need() {
  local program missing=()
  for program in "$@"; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [[ ${#missing[@]} -eq 0 ]] ||
    skip "no ${missing[*]} on this machine (tools/setup --schedulers)"
}

# enter_cluster FIXTURE ARGUMENT...: the fixture again, inside. Users other than root become the
# only user of a user namespace, under their own id.
enter_cluster() {
  local flags=(--net --uts --mount --ipc --pid --fork --mount-proc --kill-child)
  [[ $(id -u) -eq 0 ]] || flags+=(--user --map-current-user --keep-caps)
  unshare "${flags[@]}" mount -t tmpfs tmpfs /run 2>/dev/null ||
    skip "this machine lets user $(id -un) make no namespaces (a container may need --privileged)"
  DLSCALE_INSIDE_CLUSTER=yes exec unshare "${flags[@]}" "$@"
}

inside_cluster() { [[ -n ${DLSCALE_INSIDE_CLUSTER:-} ]]; }

# new_machine HOSTNAME: private memory and a network in which this host alone answers.
new_machine() {
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p "$state"
  printf '127.0.0.1 localhost\n10.77.0.254 %s\n' "$1" >"$state/hosts"
  mount --bind "$state/hosts" /etc/hosts
  hostname "$1"
  ip link set lo up
  ip address add 10.77.0.254/24 dev lo # with 127.0.0.1 alone no address would be looked up at all
}

# wait_for COMMAND...: until it succeeds, at most 20 s.
wait_for() {
  local limit=$((SECONDS + 20))
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < limit)) || die "waited too long for: $*"
    sleep 0.02
  done
}

# die MESSAGE: with the last lines of what the daemons said.
die() {
  echo "$(basename "$0"): $*" >&2
  tail -n 5 "$state"/*.log >&2 2>/dev/null || true
  exit 1
}
