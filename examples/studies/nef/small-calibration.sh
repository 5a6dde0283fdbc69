#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures this machine for predictions of the published CPU points: all-reduces between threads with one core each.
# Steps and waiting for data come from the runs of small.toml on one rank. tools/study calls this script after these
# runs. The script takes less than a minute.
# usage: small-calibration.sh PROGRAMS FOLDER
#   PROGRAMS  folder of dlscale, dlscale-bench and dlscale-train
#   FOLDER    folder that contains the runs as study/. It receives calibration.json, and the model card in cards/
set -euo pipefail
programs=$1
folder=$2
mkdir -p "$folder/measured" "$folder/cards"

# image_folder has 1,000 classes unless a study states another number.
card=$folder/cards/densenet121-3x64x64-1000.json
"$programs/dlscale-train" --describe densenet121 --input 3x64x64 --classes 1000 >"$card.part"
mv "$card.part" "$card"

# More ranks than cores would share cores, unlike the ranks of the published node. Times of more ranks are extrapolated,
# which needs a name of the interconnect.
rm -f "$folder/measured/comm.jsonl"
cores=$(nproc)
for ranks in 2 4 8; do
  ((ranks == 2 || ranks <= cores)) || break
  "$programs/dlscale-bench" comm --communicator thread --threads "$ranks" --min 4KiB --max 64MiB --factor 4 \
    --seconds 0.2 -o "$folder/measured/comm.jsonl"
done
"$programs/dlscale" calibrate "$folder/measured/comm.jsonl" "$folder/study" --where 'gpus == 1' --topology memory \
  -o "$folder/calibration.json"
