#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command as a user of a real OAR that has the queues and properties of a site file.
# shellcheck source-path=SCRIPTDIR source=cluster.bash
source "$(dirname "$0")/cluster.bash"

usage() {
  cat <<'TXT'
usage: oar_cluster.sh --site FILE.toml COMMAND [ARGUMENT]...
The nodes stand in the database only and nothing is ever scheduled: jobs are admitted, listed and
deleted, but do not start. The command runs as user "scientist"; the folders it uses must be open
to other users. Exit code: the command's; 77 with a reason when OAR, PostgreSQL or root's rights
are missing.
TXT
}

[[ ${1:-} == --site && $# -ge 3 ]] || { usage >&2; exit 2; }
site=$2

postgres_programs() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1; }

if ! inside_cluster; then
  [[ $(id -u) -eq 0 ]] || skip "OAR's programs change users, so this needs root"
  need oar-server oar-database oarsub psql ip unshare setpriv python3
  [[ -n $(postgres_programs) ]] ||
    skip "no PostgreSQL server on this machine (tools/setup --schedulers)"
  enter_cluster "$0" "$@"
fi
shift 2

# What OAR keeps at fixed places is replaced by copies that only this cluster sees.
private_copy() {
  local copy=$state/${1##*/}
  cp -a "$1" "$copy"
  mount --bind "$copy" "$1"
}

# configure NAME VALUE: in the cluster's own oar.conf.
configure() {
  sed -i "/^#\?$1=/d" /etc/oar/oar.conf
  echo "$1=\"$2\"" >>/etc/oar/oar.conf
}

new_machine oarserver
for path in /etc/passwd /etc/group /etc/oar; do private_copy "$path"; done
echo "scientist:x:1777:1777::$state/home:/bin/bash" >>/etc/passwd
echo "scientist:x:1777:" >>/etc/group
mkdir "$state/home"
chown 1777:1777 "$state/home"
: >"$state/oar.log"
chown oar "$state/oar.log"

configure DB_HOSTNAME oarserver
configure DB_BASE_PASSWD oar
configure DB_BASE_PASSWD_RO oar
configure SERVER_HOSTNAME oarserver
configure LOG_FILE "$state/oar.log"
configure PINGCHECKER_SENTINELLE_SCRIPT_COMMAND ""
configure PINGCHECKER_GENERIC_COMMAND true     # every node is said to be there,
configure META_SCHED_CMD ../../../usr/bin/true # and no job is ever given to one

database=$state/database
as_postgres() (
  cd / # a folder that user postgres can enter
  setpriv --reuid=postgres --regid=postgres --init-groups "$(postgres_programs)/$1" "${@:2}"
)
mkdir "$database"
chown postgres "$database"
as_postgres initdb -D "$database/files" -A trust --no-sync --locale=C -E UTF8 \
  >"$state/initdb.log" 2>&1 || die "no database can be made"
echo "host all all 10.77.0.254/32 trust" >>"$database/files/pg_hba.conf"
as_postgres pg_ctl -s -w -D "$database/files" -l "$database/log" start \
  -o "-c listen_addresses=* -c unix_socket_directories=$database -c fsync=off" ||
  die "PostgreSQL does not start"
oar-database --create --db-admin-user=postgres --db-admin-pass=x >"$state/oar-database.log" 2>&1 ||
  die "OAR's tables cannot be made"
python3 "$(dirname "$0")/oar_resources.py" "$site" >"$state/resources.sql" ||
  die "cannot read $site"
PGPASSWORD=oar psql -q -v ON_ERROR_STOP=1 -h oarserver -U oar oar <"$state/resources.sql" ||
  die "$site cannot be declared"
oar-server >"$state/oar-server.log" 2>&1 || die "oar-server does not start"
answers() { (exec 3<>/dev/tcp/oarserver/6666) 2>/dev/null; }
wait_for answers

code=0
setpriv --reuid=1777 --regid=1777 --clear-groups env HOME="$state/home" USER=scientist \
  LOGNAME=scientist SHELL=/bin/bash OAR_OARSTAT_OUTPUT_FORMAT=2 "$@" || code=$?
exit "$code"
