#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks a report with hostile names in a browser. Arguments: dlscale, sample_study.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" "$folder/study" 6 3 4
"$1" collect "$folder/study" --no-tables >/dev/null
"$1" report "$folder/study" -o "$folder/kit" >/dev/null
python3 "$here/report_in_browser.py" "$folder/kit/report.html"
# Long names of axes, too few repetitions for tests, and more curves than a legend has room for.
"$2" "$folder/long" 6 3 4 the_number_of_hidden_neurons_of_the_classifier_behind_the_frozen_network
"$1" collect "$folder/long" --no-tables >/dev/null
"$1" report "$folder/long" -o "$folder/long-kit" >/dev/null
python3 "$here/report_in_browser.py" "$folder/long-kit/report.html" --first-screen
# All answers on a study of usual size fit on the first screen.
"$2" "$folder/usual" 1 6 4
"$1" collect "$folder/usual" --no-tables >/dev/null
"$1" report "$folder/usual" -o "$folder/usual-kit" >/dev/null
python3 "$here/report_in_browser.py" "$folder/usual-kit/report.html" --all-answers
