# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copies of the programs for jobs that run as a user other than root, as OAR's do.

place() { cp -lL "$1" "$2" 2>/dev/null || cp -L "$1" "$2"; }

# place_programs DLSCALE FOLDER: copies dlscale, its data and the trainer (as dlscale-train.real) with its libraries.
place_programs() {
  mkdir -p "$2/bin" "$2/lib"
  place "$1" "$2/bin/dlscale"
  place "$(dirname "$1")/dlscale-train" "$2/bin/dlscale-train.real"
  cp -rL "$(dirname "$1")/../share" "$2/share"
  local library
  ldd "$2/bin/dlscale-train.real" | awk '$3 ~ /^\// && $3 !~ /^\/(usr|lib)/ {print $3}' |
    while read -r library; do place "$library" "$2/lib/"; done
}

# site_of KIND FOLDER TRAINER: prints a site of the batch system that runs TRAINER with the libraries in FOLDER.
site_of() {
  echo "trainer = \"$3\""
  echo "environment = [\"export LD_LIBRARY_PATH=$2/lib OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\"]"
  cat "$(dirname "${BASH_SOURCE[0]}")/$1.toml"
}
