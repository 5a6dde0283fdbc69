#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command on a login node of a real SLURM that has the partitions of a site file.
# shellcheck source-path=SCRIPTDIR source=cluster.bash
source "$(dirname "$0")/cluster.bash"

usage() {
  cat <<'TXT'
usage: slurm_cluster.sh --site FILE.toml COMMAND [ARGUMENT]...
The nodes are declared, not there: they are "powered down in a cloud", so the controller counts,
lists and (sbatch --test-only) plans with them, but a job would wait for its nodes for ever.
Exit code: the command's; 77 with a reason when SLURM or the right to make namespaces is missing.
TXT
}

[[ ${1:-} == --site && $# -ge 3 ]] || { usage >&2; exit 2; }
site=$2

if ! inside_cluster; then
  need slurmctld munged sbatch scontrol ip unshare python3
  enter_cluster "$0" "$@"
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
SlurmdSpoolDir=$state/spool
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
python3 "$(dirname "$0")/slurm_nodes.py" "$site" >>"$state/slurm.conf" || die "cannot read $site"
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

code=0
"$@" || code=$?
exit "$code"
