#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests with a real OAR that dlscale and its scripts use the values of the plan, even if they start inside
# another OAR job or if the environment sets variables that OAR's commands read. Argument: the built dlscale.
# shellcheck source-path=SCRIPTDIR source=planned.bash
source "$(dirname "$0")/planned.bash" "$1"
# shellcheck source=environment.bash
source "$here/environment.bash"

if [[ ${2:-} == inside ]]; then
  plans=$3
  env OAR_JOB_ID=999999 OAR_JOBID=999999 OAR_JOB_KEY_FILE=/nowhere OAR_OARSTAT_OUTPUT_FORMAT=1 \
    OAR_NODEFILE=/nowhere OAR_JOB_NAME=mine OARDO_USER=nobody SBATCH_EXPORT=NONE "${launcher_variables[@]}" \
    "$dlscale" submit "$plans/options" --wait --poll 2 >"$plans/said" ||
    { cat "$plans/said" "$plans"/options/logs/* "$plans"/options/runs/*/launch-1/std* >&2; exit 1; }
  completed "$plans/options"
  grep -q "^removed from the environment: .*OARDO_USER, OAR_JOBID.*RANK" "$plans/said" || {
    echo "FAILED: dlscale submit does not name what it removed" >&2; cat "$plans/said" >&2; exit 1; }

  printf '#!/bin/bash\n%s submit %s --wait --poll 2\n' "$dlscale" "$plans/in-job" >"$plans/outer.sh"
  chmod 755 "$plans/outer.sh"
  oarsub -S -l /nodes=1/core=1,walltime=0:05:00 -O "$plans/outer.out" -E "$plans/outer.err" "$plans/outer.sh" >/dev/null
  limit=$((SECONDS + 150))
  until [[ $("$dlscale" list "$plans/in-job" --csv) == *,done,* ]]; do
    ((SECONDS < limit)) || { cat "$plans"/outer.* "$plans"/in-job/logs/* >&2; exit 1; }
    sleep 2
  done
  completed "$plans/in-job"
  exit
fi

write_trainer
printf '#!/bin/bash\nexec "%s/bin/dlscale-train" "$@"\n' "$work" >"$work/bin/mpirun"
chmod 755 "$work/bin/mpirun"
plans=$work/plans
mkdir "$plans"
cp "$dlscale" "$plans/dlscale"
sed "s|^walltime|environment = [\"PATH=$work/bin:\$PATH\"]\n&|" "$here/sites/oar.conformance.toml" >"$work/running.toml"
for name in options in-job; do
  planned "$name" "$here/small.toml" --site "$work/running.toml" -S 'matrix.gpus=[1]' -S study.repeats=1
done
chmod -R a+rwX "$plans"
copy_for_all_users "$work/checkout"
"$root/tests/support/oar_cluster.sh" --running --site "$work/running.toml" \
  "$work/checkout/tests/schedulers/oar_environment.sh" "$plans/dlscale" inside "$plans" || exit
echo "2 jobs ended as planned, whatever the environment was"
