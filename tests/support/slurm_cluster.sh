#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command on a login node of a real SLURM that has the partitions of a site file.
# shellcheck source-path=SCRIPTDIR source=cluster.bash
source "$(dirname "$0")/cluster.bash"

usage() {
  cat <<'TXT'
usage: slurm_cluster.sh [--running [OPTION]...] --site FILE.toml COMMAND [ARGUMENT]...
The nodes are declared, not there: they are "powered down in a cloud", so the controller counts,
lists and (sbatch --test-only) plans with them, but a job would wait for its nodes for ever.
  --running     every node is a host of its own (name, address, processes, shared memory) on this
                machine, with a slurmd that runs jobs; all share the file system. GPUs, up to 4, are
                device files that any machine has. Sites of a few nodes only.
  --accounting  also a slurmdbd on a database of its own, so that sacct answers
  --forget N    the controller forgets ended jobs after N seconds, not 300
  --limit-memory  jobs that take more memory than they asked for are ended by the kernel; needs root
                and cgroups of version 1 (folders slurm-test-* in these, removed at the end)
While nodes run, the command finds on its PATH a program that breaks things and mends them:
  fault controller stop|kill|start  slurmctld; it keeps its jobs, when it is killed (-9) those that it has
                                    saved, some 5 s after a change
  fault accounting stop|start       slurmdbd
  fault node crash|boot NAME        all processes of the node are gone at once; SLURM notes it
                                    after some 10 s, and a node that is back within one
Exit code: the command's; 77 with a reason when SLURM or the right to make namespaces is missing.
TXT
}

arguments=("$@")
running=() accounting=no forget=300 limit_memory=no site=
while [[ ${1:-} == --* ]]; do
  case $1 in
    --running) running=(--running) ;;
    --accounting) accounting=yes ;;
    --limit-memory) limit_memory=yes ;;
    --forget | --site)
      [[ $# -gt 1 ]] || { usage >&2; exit 2; }
      [[ $1 == --forget ]] && forget=$2 || site=$2
      shift
      ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
[[ -n $site && $# -ge 1 ]] || { usage >&2; exit 2; }

if ! inside_cluster; then
  need slurmctld munged sbatch scontrol ip unshare python3
  [[ -z ${running[*]} ]] || need slurmd
  [[ $limit_memory == no || ($(id -u) -eq 0 && -d /sys/fs/cgroup/memory) ]] ||
    skip "no memory cgroup of version 1 that this user may use"
  [[ $accounting == no ]] || need slurmdbd mariadbd mariadb-install-db sacct
  enter_cluster "$0" "${arguments[@]}"
fi

new_machine login
me=$(id -un)
cat >"$state/slurm.conf" <<C
ClusterName=test
SlurmctldHost=login
SlurmUser=$me
SlurmdUser=$me
AuthInfo=socket=$state/munge.socket,cred_expire=5
StateSaveLocation=$state/saved
SlurmdSpoolDir=$state/spool-%n
SlurmdPidFile=$state/slurmd-%n.pid
SlurmdLogFile=$state/slurmd-%n.log
# Each node has a folder of its own, because MPI launchers keep files in this folder.
TmpFS=$state/tmp-%n
# Use the number of cores in the site file instead of the number of cores of this machine.
SlurmdParameters=config_overrides
# Schedule jobs often, and detect nodes that do not answer quickly.
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=2,sched_min_interval=1000
SlurmdTimeout=10
BatchStartTimeout=10
KillWait=3
MessageTimeout=4
ReturnToService=1
MinJobAge=$forget
SlurmctldPidFile=$state/slurmctld.pid
SlurmctldLogFile=$state/slurmctld.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
# Reject a job at submission if no node can run the job.
EnforcePartLimits=ALL
# SLURM assumes that nodes in State=CLOUD start when a job needs them. sinfo shows these nodes
# even if they do not run.
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=86400
PrivateData=cloud
C
python3 "$(dirname "$0")/slurm_nodes.py" "${running[@]}" "$site" >>"$state/slurm.conf" || die "cannot read $site"
export SLURM_CONF=$state/slurm.conf

start_munge() {
  local force=()
  (umask 077 && head -c 1024 /dev/urandom >"$state/munge.key")
  [[ $(id -u) -eq 0 ]] || force=(--force) # a user namespace shows root's folders as nobody's
  munged "${force[@]}" --socket="$state/munge.socket" --key-file="$state/munge.key" \
    --pid-file="$state/munged.pid" --log-file="$state/munged.log" \
    --seed-file="$state/munge.seed" 2>"$state/munge-start.log" || die "munged does not start"
}

# The database accepts connections only from this cluster's slurmdbd. slurmdbd finds the database
# through the variable MYSQL_UNIX_PORT.
start_database() {
  local files=$state/database socket=$state/mariadb.socket
  mariadb-install-db --no-defaults --datadir="$files" --auth-root-authentication-method=socket \
    --auth-root-socket-user="$me" --skip-test-db --skip-name-resolve \
    >"$state/database-install.log" 2>&1 || die "no database can be made"
  mariadbd --no-defaults --user="$me" --datadir="$files" --socket="$socket" --skip-networking \
    --pid-file="$state/mariadbd.pid" --innodb-buffer-pool-size=32M --innodb-log-file-size=8M \
    --innodb-lock-wait-timeout=900 --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 \
    >"$state/mariadbd.log" 2>&1 &
  wait_for mariadb --no-defaults --socket="$socket" -e 'CREATE DATABASE IF NOT EXISTS slurm_acct_db'
  (umask 077 && cat >"$state/slurmdbd.conf") <<C
AuthType=auth/munge
AuthInfo=socket=$state/munge.socket
DbdHost=login
SlurmUser=$me
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=$me
StorageLoc=slurm_acct_db
CommitDelay=1
LogFile=$state/slurmdbd.log
PidFile=$state/slurmdbd.pid
C
  cat >>"$state/slurm.conf" <<C
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=login
AccountingStoragePass=$state/munge.socket
AccountingStorageTRES=gres/gpu
AccountingStoreFlags=job_comment
C
}

fault_accounting_start() {
  MYSQL_UNIX_PORT=$state/mariadb.socket SLURM_CONF=$state/slurmdbd.conf slurmdbd
  wait_for sacctmgr -n show cluster
}
fault_accounting_stop() { stop_daemon slurmdbd; }
fault_controller_start() {
  slurmctld
  wait_for scontrol ping
}
fault_controller_stop() { stop_daemon slurmctld; }
fault_controller_kill() { stop_daemon slurmctld KILL; }
# stop_daemon NAME [SIGNAL]: sends the signal (default: TERM) and waits until the daemon has ended.
stop_daemon() {
  local process
  process=$(<"$state/$1.pid")
  kill "-${2:-TERM}" "$process"
  wait_for is_gone "$process"
}
# SLURM names its control groups after the nodes. The names are the same in each cluster, so each
# cluster gets a part of the hierarchy of groups for itself.
memory_groups=()
limit_memory() {
  local kind group
  for kind in memory freezer; do
    group=/sys/fs/cgroup/$kind/slurm-test-$(</proc/sys/kernel/random/uuid)
    mkdir "$group"
    memory_groups+=("$group")
    mount --bind "$group" "/sys/fs/cgroup/$kind"
  done
  sed -i 's|^ProctrackType=.*|ProctrackType=proctrack/cgroup|; s|^TaskPlugin=.*|TaskPlugin=task/cgroup|' \
    "$state/slurm.conf"
  printf '%s\n' ConstrainRAMSpace=yes ConstrainSwapSpace=yes >>"$state/cgroup.conf"
}
remove_memory_groups() {
  local node group
  for node in "${nodes[@]}"; do crash_node "$node"; done
  umount /sys/fs/cgroup/memory /sys/fs/cgroup/freezer
  for group in "${memory_groups[@]}"; do find "$group" -depth -type d -exec rmdir {} +; done
}

node_daemon() { printf '%s\0' slurmd -D -N "$1"; }

mkdir "$state/saved"
start_munge
if [[ $accounting == yes ]]; then
  start_database
  fault_accounting_start || die "slurmdbd does not start"
  sacctmgr -i add cluster test >/dev/null || die "the cluster cannot be registered"
fi
if [[ -n ${running[*]} ]]; then
  mapfile -t hosts < <(scontrol show hostnames "$(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' "$state/slurm.conf" | paste -sd,)")
  join_nodes "${hosts[@]}"
fi
echo CgroupPlugin=cgroup/v1 >"$state/cgroup.conf" # required even if it is unused
[[ $limit_memory == no ]] || limit_memory
fault_controller_start || die "slurmctld does not start"

if [[ -n ${running[*]} ]]; then
  printf 'Name=gpu File=%s\n' /dev/null /dev/zero /dev/full /dev/random >"$state/gres.conf"
  for node in "${nodes[@]}"; do
    mkdir "$state/tmp-$node"
    start_node "$node"
  done
  # shellcheck disable=SC2317 # wait_for calls it
  all_idle() { [[ $(sinfo -hN -t idle -o %N | sort -u | wc -l) -eq ${#nodes[@]} ]]; }
  wait_for all_idle
  serve_faults
fi

code=0
"$@" || code=$?
[[ $limit_memory == no ]] || remove_memory_groups
exit "$code"
