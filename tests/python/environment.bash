# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Puts the Python environment of tools/setup --python first on PATH, and the Python package on the path of modules.
# Ends with exit code 77 if the environment is not installed.
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python_environment=$("$source_tree/tools/setup" --print-python)
if [[ ! -x $python_environment/bin/python ]]; then
  echo "SKIPPED: PyTorch for Python is not installed (tools/setup --python installs it)"
  [[ -z ${DLSCALE_REQUIRE_PYTHON:-} ]] || exit 1
  exit 77
fi
export PATH=$python_environment/bin:$PATH PYTHONPATH=$source_tree/python OMP_NUM_THREADS=1
