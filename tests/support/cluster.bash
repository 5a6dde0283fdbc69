# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions of the cluster fixtures. A fixture is a script that starts a test cluster: a tree of
# processes in namespaces of its own.
#
# A fixture first checks that the programs it needs exist. Then it calls `enter_cluster`, which
# runs the fixture again as process 1 of new namespaces. In these namespaces, the files below /run
# are kept in private memory, the network contains only this cluster, and the machine is not
# changed. When process 1 ends for any reason, the kernel ends all daemons of the cluster. A fixture
# therefore needs no clean-up.
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

# need PROGRAM...: skips the test if one of the programs is missing.
need() {
  local program missing=()
  for program in "$@"; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [[ ${#missing[@]} -eq 0 ]] ||
    skip "no ${missing[*]} on this machine (tools/setup --schedulers)"
}

# enter_cluster FIXTURE ARGUMENT...: runs the fixture again in new namespaces. For a user other than
# root, the function also makes a user namespace, in which only this user exists, with the same id.
enter_cluster() {
  local flags=(--net --uts --mount --ipc --pid --fork --mount-proc --kill-child)
  [[ $(id -u) -eq 0 ]] || flags+=(--user --map-current-user --keep-caps)
  unshare "${flags[@]}" mount -t tmpfs tmpfs /run 2>/dev/null ||
    skip "this machine lets user $(id -un) make no namespaces (a container may need --privileged)"
  DLSCALE_INSIDE_CLUSTER=yes exec unshare "${flags[@]}" "$@"
}

inside_cluster() { [[ -n ${DLSCALE_INSIDE_CLUSTER:-} ]]; }

# new_machine HOSTNAME: makes the private files in /run, and a network that contains only this host.
new_machine() {
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p "$state"
  printf '127.0.0.1 localhost\n10.77.0.254 %s\n' "$1" >"$state/hosts"
  mount --bind "$state/hosts" /etc/hosts
  hostname "$1"
  ip link set lo up
  ip address add 10.77.0.254/24 dev lo # with only 127.0.0.1, programs look up no host names
}

# Each node is a tree of processes in namespaces of its own. A bridge connects the networks of the
# nodes. All nodes share one file system, which includes /run. The numbers of the nodes start from 1
# and follow the order of the names in `nodes`.
declare -a nodes=()
declare -A node_process=()

# join_nodes NAME...: records the names of the nodes and makes the network that connects them.
join_nodes() {
  local number
  nodes=("$@")
  for number in "${!nodes[@]}"; do
    echo "10.77.0.$((number + 1)) ${nodes[number]}" >>"$state/hosts"
  done
  ip address delete 10.77.0.254/24 dev lo
  ip link add br0 type bridge
  ip address add 10.77.0.254/24 dev br0
  ip link set br0 up
}

# start_node NAME: starts a node and its daemon. The command of the daemon is what the function
# `node_daemon NAME` of the fixture prints. Each word of the command ends with a NUL character.
start_node() {
  local number daemon
  mapfile -d '' daemon < <(node_daemon "$1")
  for number in "${!nodes[@]}"; do [[ ${nodes[number]} != "$1" ]] || break; done
  unshare --net --uts --mount --ipc --pid --fork --mount-proc --kill-child \
    "$(dirname "${BASH_SOURCE[0]}")/cluster_node.sh" "$1" "10.77.0.$((number + 1))" "${daemon[@]}" \
    </dev/null >>"$state/node-$1.log" 2>&1 &
  node_process[$1]=$!
  disown # otherwise the shell prints a message when the node ends
  wait_for has_own_network "$!"
  ip link add "veth$number" type veth peer name eth0 netns "$!"
  ip link set "veth$number" master br0 up
}
has_own_network() { [[ $(readlink "/proc/$1/ns/net") != "$(readlink /proc/$$/ns/net)" ]]; }

# crash_node NAME: kills all processes of the node at the same time.
crash_node() {
  kill -KILL "${node_process[$1]:?no such node, or not running}"
  wait_for is_gone "${node_process[$1]}"
  unset "node_process[$1]"
  local number
  for number in "${!nodes[@]}"; do
    [[ ${nodes[number]} != "$1" ]] || ip link delete "veth$number" 2>/dev/null || true
  done
}
is_gone() { ! grep -qs '^State:.[^ZX]' "/proc/$1/status"; }

# serve_faults: puts a program `fault THING ACTION [NAME]` on PATH, which every user can run. The
# program makes the fixture call `fault_THING_ACTION NAME` as the user of process 1. The program
# ends with the exit code of this call.
serve_faults() {
  mkdir "$state/bin" "$state/done"
  mkfifo -m 666 "$state/faults"
  chmod 1777 "$state/done"
  cat >"$state/bin/fault" <<'SH'
#!/bin/sh
order=/run/cluster/done/$$
echo "$$ $*" >/run/cluster/faults
until [ -e "$order" ]; do sleep 0.02; done
code=$(cat "$order")
rm -f "$order"
[ "$code" = 0 ] || echo "fault $*: failed" >&2
exit "$code"
SH
  chmod 755 "$state/bin/fault"
  PATH=$state/bin:$PATH
  take_orders 2>>"$state/faults.log" &
}

take_orders() {
  local number thing action name code
  exec 3<>"$state/faults"
  while read -r -u 3 number thing action name; do
    code=0
    if declare -F "fault_${thing}_$action" >/dev/null; then
      "fault_${thing}_$action" "$name" </dev/null >>"$state/faults.log" || code=$?
    else
      code=2
    fi
    echo "$code" >"$state/done/.$number"
    chmod 666 "$state/done/.$number"
    mv "$state/done/.$number" "$state/done/$number"
  done
}
fault_node_crash() { crash_node "$1"; }
fault_node_boot() { start_node "$1"; }

# wait_for COMMAND...: repeats the command until it succeeds. Fails after 20 s.
wait_for() {
  local limit=$((SECONDS + 20))
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < limit)) || die "waited too long for: $*"
    sleep 0.02
  done
}

# die MESSAGE: prints the message and the last lines of the logs of all daemons, and exits with 1.
die() {
  echo "$(basename "$0"): $*" >&2
  tail -n 5 "$state"/*.log >&2 2>/dev/null || true
  exit 1
}
