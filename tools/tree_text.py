# SPDX-License-Identifier: Apache-2.0
"""Extracts the texts that people read from the source tree: comments, messages and documentation sentences."""
import collections
import pathlib
import re
import subprocess

Text = collections.namedtuple("Text", "file line kind text")

CODE = {".cpp", ".hpp"}
SCRIPTS = {".py", ".sh", ".bash", ".cmake", ".toml", ".mustache"}
NOT_READ = ("tests/data/", "docs/measurements/", "docs/figures/", "tests/e2e/data/", "share/")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CHARACTER = re.compile(r"(?<![0-9A-Za-z])'(?:[^'\\\n]|\\.[^'\n]*)'")  # ignores '"', which does not start a string
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`*\[])")


def files_of(root):
    """Yields the paths of the tracked text files, relative to the root. Without git these are all files except those
    in build/ and in hidden folders other than .ci/."""
    done = subprocess.run(["git", "-C", str(root), "ls-files"], capture_output=True, text=True)
    names = done.stdout.splitlines()
    if done.returncode != 0:
        all_names = sorted(str(path.relative_to(root)) for path in pathlib.Path(root).rglob("*"))
        names = [name for name in all_names if name.startswith(".ci/") or not name.startswith((".", "build/"))]
    for name in names:
        path = pathlib.Path(name)
        if name.startswith(NOT_READ) or not (root / path).is_file():
            continue
        is_script = path.suffix == "" and path.parts[0] in ("tools", ".ci")
        if path.suffix in CODE | SCRIPTS | {".md"} or path.name == "CMakeLists.txt" or is_script:
            yield path


def code_comments(lines, path):
    """Yields blocks of consecutive comment lines, and comments that follow code in the same line."""
    block, first = [], 0

    def ended():
        text = " ".join(part for part in block if part).strip()
        if text and not text.startswith(("SPDX", "namespace")):
            yield Text(str(path), first, "comment", text)
        block.clear()

    for number, line in enumerate(lines, 1):
        own = re.match(r"\s*//[/!]?<?\s?(.*)$", line)
        if own:
            if not own.group(1).strip() or own.group(1).startswith("SPDX"):
                yield from ended()
                continue
            first = first if block else number
            block.append(own.group(1).strip())
            continue
        yield from ended()
        behind = re.search(r"[^\s\"'](?:[^\"']*|.*[;,{)])\s+//[/!]?<?\s?([^\"]*)$", line)
        if behind and not behind.group(1).startswith("namespace"):
            yield Text(str(path), number, "comment", behind.group(1).strip())
    yield from ended()


def script_comments(lines, path):
    block, first = [], 0
    for number, line in enumerate(list(lines) + [""], 1):
        own = re.match(r"\s*#(?!!)\s?(.*)$", line)
        if own and not own.group(1).startswith(("SPDX", "!", "SBATCH", "OAR")):
            first = first if block else number
            block.append(own.group(1).strip())
            continue
        text = " ".join(part for part in block if part).strip()
        if text and re.search(r"[a-z]{3} [a-z]", text):
            yield Text(str(path), first, "comment", text)
        block = []


def messages(text, path):
    """Yields the string literals of product code that contain words. Adjacent literals form one message."""
    without = re.sub(r"(?m)^\s*//.*$", lambda match: " " * len(match.group(0)), text)
    without = CHARACTER.sub(lambda match: " " * len(match.group(0)) if '"' in match.group(0) else match.group(0), without)
    joined, start, end = "", 0, -1
    for match in list(LITERAL.finditer(without)) + [None]:
        if match and joined and re.fullmatch(r"\s*", without[end:match.start()]):
            joined += match.group(1)
            end = match.end()
            continue
        if len(joined.split()) >= 3 and re.search(r"[a-z]{2} [a-z]", joined) and not joined.startswith("SELECT"):
            yield Text(str(path), without.count("\n", 0, start) + 1, "message", joined.replace("\\n", " ").strip())
        if match:
            joined, start, end = match.group(1), match.start(), match.end()


def sentences(lines, path):
    """Yields the sentences of a Markdown page, without code blocks, headings and table rows."""
    in_code = False
    paragraph, first = [], 0
    for number, line in enumerate(list(lines) + [""], 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
            line = ""
        bullet = re.match(r"\s*(?:[-*]|\d+\.)\s+", line)
        is_text = not in_code and line.strip() and not line.lstrip().startswith(("|", "#", "!["))
        if paragraph and (not is_text or bullet):
            for sentence in SENTENCE_END.split(" ".join(paragraph)):
                if len(sentence.split()) >= 4:
                    yield Text(str(path), first, "sentence", sentence)
            paragraph = []
        if is_text:
            first = first if paragraph else number
            paragraph.append(re.sub(r"^\s*(?:[-*>]|\d+\.)?\s*", "", line).strip())


def texts_of(root):
    """Yields all texts of the tree, in the order of files and lines."""
    root = pathlib.Path(root)
    for path in files_of(root):
        text = (root / path).read_text(errors="replace")
        lines = text.splitlines()
        if path.suffix in CODE:
            yield from code_comments(lines, path)
            if path.suffix == ".cpp" and path.parts[0] not in ("tests", "bench", "examples"):
                yield from messages(text, path)
        elif path.suffix == ".md":
            yield from sentences(lines, path)
        else:
            yield from script_comments(lines, path)
