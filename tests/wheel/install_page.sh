#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commands of docs/install.md work on a Debian 12. Commands that need a cluster are not in blocks of shell code.
# usage: install_page.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

page=$source_tree/docs/install.md
# commands FENCE: prints the lines in the code blocks that begin with this fence.
commands() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '/^```/d'; }
[[ $(commands sh | grep -c dlscale) -ge 8 && -n $(commands 'sh as root') ]] || fail "$page has no blocks of commands"

make_root bookworm
as_user "$(commands sh)" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "the commands ended with an error"; }
says "The report of the demo study: /home/user/small-demo/report/report.html" "$work/out"
as_user "test -d juwels/runs" || fail "the plan of a login node is missing"
cp -r "$work/root/home/user/dist" "$work/root/root/"
as_root "$(commands 'sh as root')" >"$work/out" 2>&1 ||
  { cat "$work/out" >&2; fail "the commands for a container ended with an error"; }
says "dlscale $version" "$work/out"
