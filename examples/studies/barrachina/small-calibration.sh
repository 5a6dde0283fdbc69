#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures this machine as the paper measured its GPUs: kernels at random sizes, each layer of a step of VGG11 at the
# published batches, and all-reduces of 2, 6 and 8 ranks. The ranks share the cores of the machine. tools/study calls
# this script after the runs of small.toml, and compares the result with the publication.
# usage: small-calibration.sh PROGRAMS FOLDER SIZES
#   PROGRAMS  folder of dlscale and dlscale-bench
#   FOLDER    folder that contains the runs as study/. It receives calibration.json and figures/
#   SIZES     number of sizes of each kernel, at least 45
set -euo pipefail
programs=$1
folder=$2
sizes=$3
mkdir -p "$folder/measured"
cd "$folder/measured"

rm -f kernels.json layers.jsonl comm.jsonl
# The sizes cover the layers of VGG11 with images of 32 pixels. The kernels use one core, like a rank of the study. The
# calls alternate between arrays that do not fit into the caches, because in a training step other layers displace the
# data of a layer from the caches.
"$programs/dlscale-bench" kernels -o kernels.jsonl --rotate 64MiB --cores 1 --samples "$sizes" --seconds 0.005 \
  --gflop 40 --memory 500MB b=16,32,64,128 c=3,16,64,128,256,512 h=1,2,4,8,16,32 kernel=2,3 stride=1,2 pad=0,1 \
  f=10,512,1024,4096
# The largest layer of VGG11 has 102,764,544 parameters, which need more memory than the kernels above. Seed 2 draws sizes
# on both sides of this number.
"$programs/dlscale-bench" kernels -o kernels.jsonl --rotate 64MiB --cores 1 --samples 6 --seconds 0.005 --seed 2 \
  --kernels sgd_update --memory 2200MB n=31000000,134000000
"$programs/dlscale-bench" fit kernels.jsonl -o kernels.json
"$programs/dlscale-bench" layers vgg11 --input 3x32x32 --classes 10 --batch 64,128 --cores 1 -o layers.jsonl
# Figure 3 of the paper starts at 500 KiB, so the sizes contain 512 KiB. All-reduces of 1 GiB need 9 GB for 8 ranks.
largest=1GiB
available_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)
if ((${available_kb:-0} < 12000000)); then
  largest=128MiB
  echo "small-calibration.sh: /proc/meminfo does not show 12 GB of available memory, so all-reduces end at $largest" >&2
fi
for ranks in 2 6 8; do
  "$programs/dlscale-bench" comm --communicator thread --threads "$ranks" --min 4KiB --max "$largest" --factor 2 \
    -o comm.jsonl
done
# The calibration uses only the steps of one rank, so that it does not contain the steps of two ranks that are predicted
# from it.
"$programs/dlscale" calibrate kernels.json layers.jsonl comm.jsonl "$folder/study" --where 'gpus == 1' \
  --topology memory --figures "$folder/figures" -o "$folder/calibration.json"
