#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the pages of a running and an ended study with hostile names in a browser. Arguments: dlscale, sample_study.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" "$folder/study" 3 3 4
"$1" status "$folder/study" --offline --page "$folder/ended" >/dev/null
# Turn the ended study into a running one: remove the launches on 16 GPUs and the end of one run on 8 GPUs.
rm -r "$folder"/study/runs/*-g16-r*/launch-1
sed -i '/"run_stop"/d' "$folder/study/runs/ddp-0-g8-r1/launch-1/results.jsonl"
"$1" status "$folder/study" --offline --page "$folder/running" >/dev/null
python3 "$here/status_page_in_browser.py" "$folder/running/index.html" "$folder/ended/index.html"
