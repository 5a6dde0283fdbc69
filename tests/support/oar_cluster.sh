#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command as a user of a real OAR that has the queues and properties of a site file.
# shellcheck source-path=SCRIPTDIR source=cluster.bash
source "$(dirname "$0")/cluster.bash"

usage() {
  cat <<'TXT'
usage: oar_cluster.sh [--running [--look SECONDS]] --site FILE.toml COMMAND [ARGUMENT]...
The nodes stand in the database only and nothing is ever scheduled: jobs are admitted, listed and
deleted, but do not start. The command runs as user "scientist"; the folders it uses must be open
to other users. Where the current folder is not, the command starts in the home of "scientist".
  --running  every node is a host of its own (name, address, processes, shared memory) on this
             machine, and jobs run; all share the file system. No cpusets: what oarsh has started on
             other nodes outlives a job that is killed. Sites of a few nodes only.
  --look S   OAR looks at its nodes every S seconds, not every 10
While nodes run, the command finds on its PATH a program that breaks things and mends them:
  fault controller stop|kill|start
                                 Almighty, OAR's server; commands still read the database. When it is
                                 killed (-9), so is whatever it has started on its machine
  fault database stop|start      PostgreSQL, without which no command answers
  fault node crash|boot NAME     all processes of the node are gone at once; OAR suspects it within
                                 some 20 s; once it is back it is declared alive
Exit code: the command's; 77 with a reason when OAR, PostgreSQL or root's rights are missing.
TXT
}

arguments=("$@")
running=no look=10
[[ ${1:-} != --help ]] || { usage; exit 0; }
[[ ${1:-} != --running ]] || { running=yes; shift; }
[[ ${1:-} != --look ]] || { look=${2:?} && shift 2; }
[[ ${1:-} == --site && $# -ge 3 ]] || { usage >&2; exit 2; }
site=$2

postgres_programs() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1; }

if ! inside_cluster; then
  [[ $(id -u) -eq 0 ]] || skip "OAR's programs change users, so this needs root"
  need oar-server oar-database oarsub psql ip unshare setpriv python3
  [[ $running == no ]] || need sshd
  [[ -n $(postgres_programs) ]] ||
    skip "no PostgreSQL server on this machine (tools/setup --schedulers)"
  enter_cluster "$0" "${arguments[@]}"
fi
shift 2

# private_copy PATH: replaces a file or folder by a copy that only this cluster sees.
private_copy() {
  local copy=$state/${1##*/}
  cp -a "$1" "$copy"
  mount --bind "$copy" "$1"
}

# configure NAME [VALUE]: sets a variable in this cluster's oar.conf. Without a value, removes the
# variable, so that OAR uses its default.
configure() {
  sed -i "/^#\?$1=/d" /etc/oar/oar.conf
  [[ $# -lt 2 ]] || echo "$1=\"$2\"" >>/etc/oar/oar.conf
}

new_machine oarserver
for path in /etc/passwd /etc/group /etc/shadow /etc/oar; do private_copy "$path"; done
echo "scientist:x:1777:1777::$state/home:/bin/bash" >>/etc/passwd
echo "scientist:x:1777:" >>/etc/group
echo "scientist:*:19000:0:99999:7:::" >>/etc/shadow
mkdir "$state/home"
: >"$state/home/.bashrc" # OAR reads this file for each job
chown 1777:1777 "$state/home"
: >"$state/oar.log"
chown oar "$state/oar.log"

configure DB_HOSTNAME oarserver
configure DB_BASE_PASSWD oar
configure DB_BASE_PASSWD_RO oar
configure SERVER_HOSTNAME oarserver
configure LOG_FILE "$state/oar.log"
if [[ $running == yes ]]; then
  configure CPUSET_PATH # without cpusets
  # OAR connects to nodes about six times for each job. The default key exchange of OpenSSH is secure against quantum
  # computers. On a slow machine, this key exchange takes as long as all other parts of a connection.
  echo "KexAlgorithms ecdh-sha2-nistp256" >>/etc/oar/sshd_config
  # Schedule jobs often, and do not wait long for nodes that do not answer.
  configure SCHEDULER_JOB_SECURITY_TIME 1
  configure SCHEDULER_MIN_TIME_BETWEEN_2_CALLS 0
  configure FINAUD_FREQUENCY "$look"
  configure OAR_SSH_CONNECTION_TIMEOUT 6
  configure JOBDEL_SOFTWALLTIME 8
  configure JOBDEL_WALLTIME 20
  configure PINGCHECKER_SENTINELLE_SCRIPT_COMMAND "/usr/lib/oar/sentinelle.pl -t 3 -w 20"
else
  configure PINGCHECKER_SENTINELLE_SCRIPT_COMMAND ""
  configure PINGCHECKER_GENERIC_COMMAND true     # report every node as alive,
  configure META_SCHED_CMD ../../../usr/bin/true # and never start a job on a node
fi

database=$state/database
as_postgres() (
  cd / # a folder that user postgres can enter
  setpriv --reuid=postgres --regid=postgres --init-groups "$(postgres_programs)/$1" "${@:2}"
)
fault_database_start() {
  as_postgres pg_ctl -s -w -D "$database/files" -l "$database/log" start \
    -o "-c listen_addresses=* -c unix_socket_directories=$database -c fsync=off"
}
fault_database_stop() { as_postgres pg_ctl -s -w -D "$database/files" stop -m fast; }
fault_controller_start() {
  oar-server >>"$state/oar-server.log" 2>&1
  wait_for answers
}
fault_controller_stop() {
  local process
  process=$(</run/oar-server.pid)
  kill -TERM "$process"
  wait_for is_gone "$process"
  rm -f /run/oar-server.pid
}
fault_controller_kill() {
  local process
  process=$(</run/oar-server.pid)
  pkill -KILL --session "$(ps -o sid= -p "$process" | tr -d ' ')"
  wait_for is_gone "$process"
  rm -f /run/oar-server.pid
}
answers() { (exec 3<>/dev/tcp/oarserver/6666) 2>/dev/null; }

# Each node needs its own copy of /var/lib/oar, because the files of its jobs are below this folder.
node_daemon() {
  printf '%s\0' bash -c "rm -rf '$state/oar-$1'
cp -a /var/lib/oar '$state/oar-$1'
mount --bind '$state/oar-$1' /var/lib/oar
exec /usr/sbin/sshd -D -f /etc/oar/sshd_config -o PidFile=none -E '$state/sshd-$1.log'"
}
fault_node_boot() {
  start_node "$1"
  wait_for node_listens "$1"
  oarnodesetting -s Alive -h "$1" # OAR does not always detect this by itself
}
node_listens() { (exec 3<>"/dev/tcp/$1/6667") 2>/dev/null; }

mkdir "$database"
chown postgres "$database"
as_postgres initdb -D "$database/files" -A trust --no-sync --locale=C -E UTF8 \
  >"$state/initdb.log" 2>&1 || die "no database can be made"
echo "host all all 10.77.0.0/24 trust" >>"$database/files/pg_hba.conf"
fault_database_start || die "PostgreSQL does not start"
oar-database --create --db-admin-user=postgres --db-admin-pass=x >"$state/oar-database.log" 2>&1 ||
  die "OAR's tables cannot be made"
python3 "$(dirname "$0")/oar_resources.py" "$site" >"$state/resources.sql" ||
  die "cannot read $site"
ask_database() { PGPASSWORD=oar psql -q -v ON_ERROR_STOP=1 -h oarserver -U oar oar "$@"; }
ask_database <"$state/resources.sql" || die "$site cannot be declared"
if [[ $running == yes ]]; then
  mapfile -t hosts < <(ask_database -At -c 'SELECT DISTINCT network_address FROM resources ORDER BY 1')
  join_nodes "${hosts[@]}"
  mkdir -p /run/sshd
  for node in "${nodes[@]}"; do start_node "$node"; done
  for node in "${nodes[@]}"; do wait_for node_listens "$node"; done
fi
fault_controller_start || die "oar-server does not start"
[[ $running == no ]] || serve_faults

as_scientist() {
  setpriv --reuid=1777 --regid=1777 --clear-groups env HOME="$state/home" USER=scientist \
    LOGNAME=scientist SHELL=/bin/bash OAR_OARSTAT_OUTPUT_FORMAT=2 "$@"
}
# A command fails in a folder that its user cannot enter, such as a folder below the home of root.
as_scientist test -x "$PWD" || cd "$state/home"
code=0
as_scientist "$@" || code=$?
exit "$code"
