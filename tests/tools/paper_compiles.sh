#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests that the paper of a report, a single figure and a text with numbers from the report compile although
# they contain hostile names. The compilers are pdfLaTeX and, if it is installed, LuaLaTeX. Also tests that two
# reports of the same study have the same bytes.
# Arguments: dlscale, sample_study.
set -euo pipefail
if ! command -v pdflatex >/dev/null; then
  echo "SKIPPED: pdflatex is not installed (tools/setup --lint brings it)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Two epochs of 24 curves give every table and figure of a larger study.
"$2" "$folder/study" 6 3 2
"$1" collect "$folder/study" --no-tables >/dev/null
make_kit() { "$1" report "$folder/study" -o "$folder/kit" --where 'framework == "ddp" && gpus <= 8' >/dev/null; }
make_kit "$1"
cp -r "$folder/kit" "$folder/before"
make_kit "$1"
diff -r "$folder/before" "$folder/kit"

# latex FOLDER DOCUMENT PROGRAM: runs the program without stopping for input.
latex() { (cd "$1" && "$3" -interaction=nonstopmode -halt-on-error "$2.tex" >"$2.out"); }
# compile FOLDER DOCUMENT PROGRAM: compiles and fails if a reference or a character is missing.
compile() {
  latex "$@" || {
    grep -A 5 '^!' "$1/$2.out" >&2 || tail -n 20 "$1/$2.out" >&2
    exit 1
  }
  local missing='Missing character'  # pdfLaTeX shows a framed question mark instead
  [[ $3 == pdflatex ]] || missing='Missing character: There is no [ -~] '  # letters that the font lacks
  if LC_ALL=C grep -aE "undefined|$missing|^! " "$1/$2.log" >&2; then exit 1; fi
}

# own_paper TEXT: writes a user's paper that reads numbers from the report.
key=$(sed -n 's/^\\dlsvaldef{\(made-up\)}{\(efficiency[^}]*gpus-4\/speedup\)}.*/\2/p' "$folder/kit/values.tex" | head -n 1)
[[ -n $key ]] || { echo "no speed-up at 4 GPUs in values.tex" >&2; exit 1; }
own_paper() {
  cat >"$folder/kit/own.tex" <<END
\documentclass{article}
\usepackage{siunitx}
\input{values}
\input{values} % twice does no harm
\begin{document}
$1
\end{document}
END
}
programs=(pdflatex)
if command -v lualatex >/dev/null; then
  programs+=(lualatex)
else
  echo "lualatex is not installed (tools/setup --lint brings it): pdflatex alone"
fi
for program in "${programs[@]}"; do
  compile "$folder/kit" paper "$program"
  if [[ $program == pdflatex ]] || kpsewhich luatex85.sty >/dev/null; then
    compile "$folder/kit/figures" efficiency "$program"
    compile "$folder/kit/figures" breakdown "$program"
  else
    echo "no luatex85.sty (texlive-luatex has it): figures alone by pdflatex only"
  fi
  own_paper "It is \\dlsval{made-up}{$key}, \$E = \\dlsval{made-up}{$key}/4\$, \\num{\\dlsval{made-up}{$key}}.
    \\begin{tabular}{S}\\dlsval{made-up}{$key}\\end{tabular}
    \\makeatletter\\typeout{VALUE=\\dlsval{made-up}{$key}=}"
  compile "$folder/kit" own "$program"
  grep -E '^VALUE=[0-9]+[.][0-9]+=$' "$folder/kit/own.log" >/dev/null || {
    echo "\\dlsval gave no number with $program" >&2
    exit 1
  }
  own_paper "It is \\dlsval{made-up}{no/such/value}."
  if latex "$folder/kit" own "$program"; then
    echo "an unknown name in \\dlsval is no error with $program" >&2
    exit 1
  fi
done
