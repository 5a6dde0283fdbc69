#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A site's batch system accepts every script that dlscale writes for the site.
# usage: scripts_are_accepted.sh DLSCALE SITE.toml
# shellcheck source-path=SCRIPTDIR source=planned.bash
source "$(dirname "$0")/planned.bash"

site=$2
plan_site "$site" "$work/plans"
scheduler=$(scheduler_of "$site")
copy_for_all_users "$work/checkout"
"$root/tests/support/${scheduler}_cluster.sh" --site "$site" \
  "$work/checkout/tests/schedulers/${scheduler}_accepts.sh" "$work/plans"
