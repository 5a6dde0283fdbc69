#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command on a login node of a real SLURM that has the partitions of a site file.
# shellcheck source-path=SCRIPTDIR source=cluster.bash
source "$(dirname "$0")/cluster.bash"

usage() {
  cat <<'TXT'
usage: slurm_cluster.sh [--running] --site FILE.toml COMMAND [ARGUMENT]...
The nodes are declared, not there: they are "powered down in a cloud", so the controller counts,
lists and (sbatch --test-only) plans with them, but a job would wait for its nodes for ever.
With --running every node is a slurmd on this machine and runs jobs; GPUs, up to 4, are device files
that any machine has. Sites of a few nodes only.
Exit code: the command's; 77 with a reason when SLURM or the right to make namespaces is missing.
TXT
}

arguments=("$@")
running=()
[[ ${1:-} != --running ]] || { running=(--running); shift; }
[[ ${1:-} == --site && $# -ge 3 ]] || { usage >&2; exit 2; }
site=$2

if ! inside_cluster; then
  need slurmctld munged sbatch scontrol ip unshare python3
  [[ -z ${running[*]} ]] || need slurmd
  enter_cluster "$0" "${arguments[@]}"
fi
shift 2

new_machine login
me=$(id -un)
cat >"$state/slurm.conf" <<C
ClusterName=test
SlurmctldHost=login
SlurmUser=$me
SlurmdUser=$me
AuthInfo=socket=$state/munge.socket
StateSaveLocation=$state/saved
SlurmdSpoolDir=$state/spool-%n
SlurmdPidFile=$state/slurmd-%n.pid
SlurmdLogFile=$state/slurmd-%n.log
# Believe the number of cores that the site says.
SlurmdParameters=config_overrides
# Look for work often.
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=2,sched_min_interval=1000
SlurmctldPidFile=$state/slurmctld.pid
SlurmctldLogFile=$state/slurmctld.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
# Refuse at submission what no node could ever run.
EnforcePartLimits=ALL
# Nodes in State=CLOUD are thought to start when a job needs them; sinfo shows them meanwhile.
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=86400
PrivateData=cloud
C
python3 "$(dirname "$0")/slurm_nodes.py" "${running[@]}" "$site" >>"$state/slurm.conf" || die "cannot read $site"
export SLURM_CONF=$state/slurm.conf

mkdir "$state/saved"
(umask 077 && head -c 1024 /dev/urandom >"$state/munge.key")
force=()
[[ $(id -u) -eq 0 ]] || force=(--force) # in a user namespace root's folders look like nobody's
munged "${force[@]}" --socket="$state/munge.socket" --key-file="$state/munge.key" \
  --pid-file="$state/munged.pid" --log-file="$state/munged.log" \
  --seed-file="$state/munge.seed" 2>"$state/munge-start.log" || die "munged does not start"
slurmctld || die "slurmctld does not start"
wait_for scontrol ping

if [[ -n ${running[*]} ]]; then
  printf 'Name=gpu File=%s\n' /dev/null /dev/zero /dev/full /dev/random >"$state/gres.conf"
  echo CgroupPlugin=cgroup/v1 >"$state/cgroup.conf" # nothing uses it, but one must be named
  mapfile -t nodes < <(sinfo -hN -o %N | sort -u)
  for node in "${nodes[@]}"; do slurmd -N "$node" || die "slurmd does not start"; done
  # shellcheck disable=SC2317 # wait_for calls it
  all_idle() { [[ $(sinfo -hN -t idle -o %N | sort -u | wc -l) -eq ${#nodes[@]} ]]; }
  wait_for all_idle
fi

code=0
"$@" || code=$?
exit "$code"
