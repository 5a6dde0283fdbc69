#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/check_layers finds each kind of rule violation. Argument: the source tree.
set -euo pipefail
source_tree=$1
work=$(mktemp -d)
tree=$work/tree
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
spdx='// SPDX-License-Identifier: Apache-2.0'
failed=0

# Makes a tree in which the folders and files of the checker's rules and of docs/architecture.md exist.
python3 - "$source_tree/tools/check_layers" "$work/kept" <<'PYTHON'
import importlib.machinery, importlib.util, pathlib, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_layers", sys.argv[1])
rules = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_layers", loader))
loader.exec_module(rules)
root = pathlib.Path(sys.argv[2])
globs = [glob for _, _, globs in rules.THIRD_PARTY for glob in globs if glob != "*/*"]
for name in globs + [f"{layer}/x.cpp" for layer in rules.LAYERS] + ["trainer/sync/x.cpp"]:
    file = root / name.replace("*", "x")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("// SPDX-License-Identifier: Apache-2.0\n")
(root / "docs").mkdir()
tree = "docs/   pages\n"
for layer in rules.LAYERS:
    tree += f"{layer}/   a layer\n"
    tree += "".join(f"  {sub.name}/   a folder\n" for sub in sorted((root / layer).iterdir()) if sub.is_dir())
(root / "docs/architecture.md").write_text(f"# A\n```\nnone/\n```\n## The tree\ntext\n```\n{tree}```\n```\nnone/\n```\n")
PYTHON

fresh() {
  rm -rf "$tree"
  cp -r "$work/kept" "$tree"
}
put() { printf '%s\n' "$spdx" "${@:2}" >"$tree/$1"; }
expect() { # arguments: name of the check, exit status, text in the output
  local status=0 output
  output=$("$source_tree/tools/check_layers" "$tree") || status=$?
  if [[ $status -ne $2 || $output != *"$3"* ]]; then
    printf 'FAILED: %s\n  expected exit %s and: %s\n  got exit %s and: %s\n' "$1" "$2" "$3" "$status" "$output"
    failed=1
  fi
}

fresh; put config/toml/document.cpp '#include "base/error.hpp"' '#include <toml++/toml.h>'
expect 'a reader of TOML that keeps the rules passes' 0 'follow the rules'
fresh; put planner/study.cpp '#include <torch/torch.h>'
expect 'a planner with a torch header fails' 1 'planner/study.cpp:2: LibTorch (torch/torch.h) may only be included by trainer/*'
fresh; put planner/study.cpp '#include <ATen/ATen.h>'
expect 'a planner with an ATen header fails' 1 'LibTorch (ATen/ATen.h)'
fresh; put planner/study.cpp '#include "trainer/trainer.hpp"'
expect 'a planner that includes the trainer fails' 1 'planner may not include trainer'
fresh; put planner/study.hpp '#include <toml++/toml.h>'
expect 'a header that shows a third-party library fails' 1 'toml++ (toml++/toml.h)'
fresh; put runner/poll.cpp '#include "analysis/frame.hpp"'
expect 'a runner that includes the analysis fails' 1 'runner may not include analysis'
fresh; put contract/plan.cpp '#include "validation/refusal.hpp"'
expect 'data that includes its rules fails' 1 'contract may not include validation'
fresh; put workspace/selection.cpp '#include "forecast/sweep.hpp"'
expect 'a workspace that includes the forecast fails' 1 'workspace may not include forecast'
fresh; put forecast/sweep.cpp '#include "workspace/selection.hpp"'
expect 'a forecast that includes the workspace passes' 0 'follow the rules'
fresh; put trainer/main.cpp '#include "config/toml/document.hpp"'
expect 'a trainer that reads what users write fails' 1 'trainer may not include config'
fresh; put trainer/trainer.cpp '#include <mpi.h>'
expect 'MPI outside its file fails' 1 'MPI (mpi.h)'
fresh; put trainer/comm/mpi.cpp '#include <mpi.h>'
expect 'MPI in its file passes' 0 'follow the rules'
fresh; put trainer/trainer.cpp '#ifdef USE_NCCL' '#endif'
expect 'a conditional on NCCL fails' 1 'choose the .cpp at link time'
fresh; put trainer/comm/a.hpp '#include "trainer/sync/b.hpp"'; put trainer/sync/b.hpp '#include "trainer/comm/a.hpp"'
expect 'a folder cycle fails' 1 'folder cycle: trainer/comm -> trainer/sync -> trainer/comm'
fresh; printf 'int x;\n' >"$tree/base/x.cpp"
expect 'a file without the licence line fails' 1 'base/x.cpp:1: the SPDX line is missing'
fresh; put base/utils.hpp
expect 'a name that says nothing fails' 1 'base/utils.hpp: this name is too general'
fresh; for i in {1..20}; do put "base/h$i.hpp"; done
expect 'a base that grows fails' 1 'base: 20 headers'

name_in_tree() { sed -i "s|^docs/ .*|&\n$1|" "$tree/docs/architecture.md"; }
fresh; rm -r "$tree/forecast"
expect 'a rule for a layer that does not exist fails' 1 'check_layers: forecast/: rule for a folder that does not exist'
fresh; rm "$tree"/trainer/comm/mpi*
expect 'a rule for files that do not exist fails' 1 'MPI: trainer/comm/mpi*.cpp: rule for files that do not exist'
fresh; mkdir "$tree/shares"; touch "$tree/shares/a.toml"
expect 'a folder that the page leaves out fails' 1 'docs/architecture.md: shares/ is missing'
name_in_tree 'shares/   data'
expect 'a folder that the page names passes' 0 'follow the rules'
fresh; name_in_tree 'shares/   data'
expect 'a folder that exists on the page alone fails' 1 'docs/architecture.md: shares/ does not exist'
fresh; sed -i 's|^planner/ .*|&\n  jobs/   jobs\n               going/ on|' "$tree/docs/architecture.md"
expect 'a subfolder that exists on the page alone fails' 1 'docs/architecture.md: planner/jobs/ does not exist'
mkdir "$tree/planner/jobs"; touch "$tree/planner/jobs/a.txt"
expect 'a subfolder that the page names passes' 0 'follow the rules'
fresh; mkdir "$tree/planner/jobs"; touch "$tree/planner/jobs/a.txt"
expect 'a folder of a layer that the page leaves out fails' 1 'docs/architecture.md: planner/jobs/ is missing'
fresh; rm "$tree/docs/architecture.md"
expect 'a tree without the page fails' 1 'docs/architecture.md: base/ is missing'
fresh; mkdir "$tree"/{build,.hidden}; touch "$tree"/{build,.hidden}/a
expect 'the build folder and hidden ones need no line on the page' 0 'follow the rules'
if git --version >/dev/null 2>&1; then
  fresh; git init -q "$tree"; git -C "$tree" add -A; mkdir "$tree/out"; touch "$tree/out/plan.json"
  expect 'a folder that git does not track needs no line on the page' 0 'follow the rules'
  git -C "$tree" add -A
  expect 'a folder that git tracks needs a line on the page' 1 'docs/architecture.md: out/ is missing'
  rm -r "$tree/out" "$tree/forecast"
  expect 'a tracked folder that was removed does not exist' 1 'forecast/: rule for a folder that does not exist'
fi
exit $failed
