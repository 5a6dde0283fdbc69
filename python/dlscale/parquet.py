# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of a SQLite file as Parquet files. `dlscale export --format parquet` runs this module.

    python3 -m dlscale.parquet --check              exits with code 2 and a message if pyarrow cannot be imported
    python3 -m dlscale.parquet FILE.sqlite FOLDER   writes FOLDER/TABLE.parquet for each table of the file

The columns keep their names and their order, and NULL stays null. The Parquet type of a column depends only on its
declared type and on the types of its values. The files of several studies can therefore be read as one data set.
"""
from __future__ import annotations

import contextlib
import sqlite3
import sys
from pathlib import Path
from typing import Any, Union

# Number of rows of a row group, which is also the number of rows that the module keeps in memory.
ROW_GROUP = 65536
# Parquet type by the type with which the SQLite file declares a column.
TYPES = {"INTEGER": "int64", "REAL": "float64", "TEXT": "string"}


def write_parquet(tables: Union[str, Path], folder: Union[str, Path]) -> list[Path]:
    """Writes each table of a SQLite file to folder/TABLE.parquet, and returns the paths of the files.

    Rows keep their order. Raises ImportError if pyarrow is not installed, and sqlite3.Error for a broken file.
    """
    import pyarrow.parquet

    written = []
    with contextlib.closing(sqlite3.connect(f"{Path(tables).absolute().as_uri()}?mode=ro", uri=True)) as database:
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        names = [name for name, in found]
        for name in names:
            path = Path(folder) / f"{name}.parquet"
            schema = pyarrow.schema(_columns(database, name))
            rows = database.execute(f"SELECT * FROM {_quoted(name)} ORDER BY rowid")
            with pyarrow.parquet.ParquetWriter(path, schema) as writer:
                while block := rows.fetchmany(ROW_GROUP):
                    columns = [[_converted(value, field.type) for value in values]
                               for field, values in zip(schema, zip(*block))]
                    arrays = [pyarrow.array(values, field.type) for field, values in zip(schema, columns)]
                    writer.write_batch(pyarrow.record_batch(arrays, schema=schema))
            written.append(path)
    return written


def _quoted(name: str) -> str:
    """Quotes the name of a table or column for SQL text."""
    return '"' + name.replace('"', '""') + '"'


def _columns(database: sqlite3.Connection, table: str) -> list[tuple[str, Any]]:
    """Returns the name and the Parquet type of each column.

    SQLite can store values of any type in a column. If the values do not fit the declared type, their types determine
    the Parquet type. A column without a declared type is the result of an expression. If such a column has no values,
    its type is float64, because all expressions of the views that can be NULL in every row compute numbers.
    """
    import pyarrow

    declared = [(row[1], row[2].upper()) for row in database.execute(f"PRAGMA table_info({_quoted(table)})")]
    has = ", ".join(f"total(typeof({_quoted(name)}) = '{kind}')" for name, _ in declared
                    for kind in ("text", "real", "integer"))
    counts = database.execute(f"SELECT {has} FROM {_quoted(table)}").fetchone()
    columns = []
    for i, (name, kind) in enumerate(declared):
        texts, reals, integers = counts[3 * i:3 * i + 3]
        if texts > 0 or kind == "TEXT":
            found = "string"
        elif reals > 0:
            found = "float64"
        else:
            found = TYPES.get(kind, "int64" if integers > 0 else "float64")
        columns.append((name, getattr(pyarrow, found)()))
    return columns


def _converted(value: Any, kind: Any) -> Any:
    """Returns the value as text if the type of its column is string, and unchanged otherwise."""
    return str(value) if value is not None and str(kind) == "string" else value


def main(arguments: list[str]) -> int:
    """Runs the module as a program. Returns the exit code."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "pyarrow"
        reason = "pyarrow is not installed" if missing else f"pyarrow cannot be imported ({error})"
        print(f"{reason}; install it: {sys.executable} -m pip install pyarrow", file=sys.stderr)
        return 2
    if arguments == ["--check"]:
        return 0
    if len(arguments) != 2:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    try:
        write_parquet(*arguments)
    except (OSError, sqlite3.Error) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
