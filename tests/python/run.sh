#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs tests of the Python package with the environment of tools/setup --python. If the environment is not installed,
# the tests are skipped. With DLSCALE_REQUIRE_PYTHON they fail instead. Arguments: the built dlscale, arguments of
# pytest.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=environment.bash
source "$(dirname "$0")/environment.bash"
export DLSCALE_PROGRAM=$1
exec python -B -m pytest -q -p no:cacheprovider "${@:2}"
