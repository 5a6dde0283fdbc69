// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/export/study_export.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "analysis/store/store.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEnding = "_view";

constexpr ExportFormat kFormats[] = {
    {"csv", ".csv", "a folder with a CSV file for each view", &make_csv_views},
    {"jsonl", ".jsonl", "a folder with a JSON Lines file for each view", &make_jsonl_views},
    {"parquet", ".parquet", "a folder with a Parquet file for each view", &make_sqlite_views, true},
    {"sqlite", "", "one SQLite file with a table for each view", &make_sqlite_views},
};

/// Name of the file with the tables in the temporary folder.
constexpr const char* kTablesFile = "views.sqlite";

/// Temporary folder next to the target that holds files until they are complete. The destructor
/// deletes the folder and its contents.
class Draft {
 public:
  explicit Draft(const fs::path& target) {
    const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
    base::make_directories(parent);
    std::string name = (parent / ".dlscale-export-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw base::RunError(fmt::format("{}: {}", parent.string(), std::strerror(errno)));
    }
    path_ = name;
  }
  ~Draft() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Returns the names of the database's views without the ending `_view`, sorted.
std::vector<std::string> view_names(SQLite::Database& database) {
  std::vector<std::string> names;
  SQLite::Statement query(database,
                          "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name");
  while (query.executeStep()) {
    std::string name = query.getColumn(0);
    if (name.ends_with(kEnding)) names.push_back(name.erase(name.size() - kEnding.size()));
  }
  return names;
}

std::vector<std::string> chosen_views(SQLite::Database& database, const ExportRequest& request) {
  std::vector<std::string> names = view_names(database);
  for (const std::string& wanted : request.views) {
    if (std::find(names.begin(), names.end(), wanted) == names.end()) {
      throw base::UsageError("--view: " + base::unknown_name("view", wanted, names));
    }
  }
  if (!request.views.empty()) {
    std::erase_if(names, [&](const std::string& name) { return !request.views.contains(name); });
  }
  return names;
}

fs::path file_of(const fs::path& target, const ExportFormat& format, const std::string& view) {
  return format.is_folder() ? target / (view + format.extension) : target;
}

/// Throws base::UsageError for a target in the plan folder, because the export could replace files
/// of the plan. Also throws base::UsageError for an existing target that is neither a file nor a
/// folder, such as a device, because the export would replace it.
void refuse_place(const contract::PlanDir& folder, const fs::path& target) {
  const fs::path root = fs::weakly_canonical(folder.root());
  const fs::path inside = fs::weakly_canonical(target).lexically_relative(root);
  if (!inside.empty() && *inside.begin() != "..") {
    throw base::UsageError(target.string() +
                           ": is inside the plan folder; choose a place outside it");
  }
  const bool is_link = fs::is_symlink(fs::symlink_status(target));
  const bool is_usual = fs::is_regular_file(target) || fs::is_directory(target);
  if (!is_usual && (is_link || fs::exists(target))) {
    throw base::UsageError(target.string() +
                           ": is neither a file nor a folder; choose another target");
  }
}

void check_target(const ExportRequest& request, const std::vector<std::string>& views) {
  const bool is_folder = fs::is_directory(request.target);
  if (fs::exists(request.target) && is_folder != request.format->is_folder()) {
    throw base::UsageError(fmt::format("{}: is {}, but the format {} needs {}",
                                       request.target.string(), is_folder ? "a folder" : "a file",
                                       request.format->name, request.format->summary));
  }
  for (const std::string& view : views) {
    const fs::path file = file_of(request.target, *request.format, view);
    if (!request.replace && fs::exists(file)) {
      throw base::UsageError(file.string() + ": already exists; replace it with --force");
    }
  }
}

ViewValue view_value_of(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isNull()) return std::monostate();
  return column.getString();
}

/// Returns the columns by which the rows of a view are sorted, as SQL text. No two rows of a view
/// have equal values in all of these columns, so the order is always the same. run_view has no
/// column `line`, but only one row for each run.
std::string order_of(const std::vector<ViewColumn>& columns) {
  std::string order = "run_id";
  for (const char* name : {"launch", "line", "rank", "in_place", "name"}) {
    const bool is_there =
        std::any_of(columns.begin(), columns.end(),
                    [&](const ViewColumn& column) { return column.name == name; });
    if (is_there) order += std::string(", ") + name;
  }
  return order;
}

std::vector<ViewColumn> view_columns_of(SQLite::Database& database, const std::string& view) {
  SQLite::Statement query(
      database, fmt::format("SELECT name, iif(type IN ('INTEGER', 'REAL', 'TEXT'), type, '') "
                            "FROM pragma_table_info('{}{}')",
                            view, kEnding));
  std::vector<ViewColumn> columns;
  while (query.executeStep()) {
    columns.push_back({query.getColumn(0).getString(), query.getColumn(1).getString()});
  }
  return columns;
}

/// Writes the rows of a view and returns the number of rows.
std::size_t write_view(SQLite::Database& database, const std::string& view, ViewWriter& writer) {
  const std::vector<ViewColumn> columns = view_columns_of(database, view);
  writer.begin(view, columns);
  SQLite::Statement query(
      database, fmt::format("SELECT * FROM {}{} WHERE run_id IN (SELECT id FROM temp.chosen) "
                            "ORDER BY {}",
                            view, kEnding, order_of(columns)));
  std::vector<ViewValue> values(columns.size());
  std::size_t rows = 0;
  for (; query.executeStep(); ++rows) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = view_value_of(query.getColumn(static_cast<int>(i)));
    }
    writer.row(values);
  }
  return rows;
}

void choose_runs(SQLite::Database& database, const std::set<std::string>& runs) {
  database.exec("CREATE TEMP TABLE chosen (id TEXT PRIMARY KEY) WITHOUT ROWID");
  SQLite::Statement insert(database, "INSERT INTO temp.chosen VALUES (?)");
  for (const std::string& run : runs) {
    insert.bind(1, run);
    insert.exec();
    insert.reset();
  }
}

/// Moves the complete files from the temporary folder to the target.
void publish(const fs::path& draft, const fs::path& target, const ExportFormat& format,
             const std::vector<std::string>& views) {
  if (format.is_folder()) base::make_directories(target);
  for (const std::string& view : views) {
    const fs::path file = file_of(target, format, view);
    std::error_code error;
    fs::rename(file_of(draft, format, view), file, error);
    if (error) throw base::RunError(fmt::format("{}: {}", file.string(), error.message()));
    if (!format.is_folder()) return;
  }
}

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

const ExportFormat& find_export_format(std::string_view name) {
  std::vector<std::string> known;
  for (const ExportFormat& format : kFormats) {
    if (format.name == name) return format;
    known.emplace_back(format.name);
  }
  throw base::UsageError("--format: " + base::unknown_name("format", name, known));
}

std::vector<Exported> export_study(const contract::PlanDir& folder, const ExportRequest& request) {
  const ExportFormat& format = *request.format;
  Store store(folder.database(), Store::Access::Read);
  std::vector<Exported> written;
  store.with([&](SQLite::Database& database) {
    const std::vector<std::string> views = chosen_views(database, request);
    refuse_place(folder, request.target);
    check_target(request, views);
    choose_runs(database, request.runs);
    const Draft draft(request.target);
    const fs::path place = format.is_folder() ? draft.path() : draft.path() / kTablesFile;
    const std::unique_ptr<ViewWriter> writer =
        format.make(format.is_converted ? draft.path() / kTablesFile : place);
    for (const std::string& view : views) {
      const fs::path file = file_of(request.target, format, view);
      if (written.empty() || written.back().file != file) written.push_back({file, {}});
      written.back().rows.emplace_back(view, write_view(database, view, *writer));
    }
    writer->finish();
    if (format.is_converted) request.convert(draft.path() / kTablesFile, draft.path());
    publish(place, request.target, format, views);
  });
  return written;
}

}  // namespace dlscale::analysis
