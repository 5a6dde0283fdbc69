// SPDX-License-Identifier: Apache-2.0
// Writes views as tables of a separate SQLite file. Programs can read this file without the
// database of dlscale.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "analysis/store/export/view_writer.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

class SqliteViews : public ViewWriter {
 public:
  explicit SqliteViews(const std::filesystem::path& file) : file_(file) {
    guarded([&] {
      database_.emplace(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      // No journal is needed, because no process reads the file before it is complete.
      database_->exec("PRAGMA journal_mode = OFF");
      database_->exec("PRAGMA synchronous = OFF");
      database_->exec("BEGIN");
    });
  }

  void begin(const std::string& view, const std::vector<ViewColumn>& columns) override {
    guarded([&] {
      insert_.reset();
      std::vector<std::string> declared;
      for (const ViewColumn& column : columns) {
        declared.push_back(fmt::format("\"{}\" {}", column.name, column.type));
      }
      database_->exec(fmt::format("CREATE TABLE \"{}\" ({})", view, fmt::join(declared, ", ")));
      const std::vector<std::string> places(columns.size(), "?");
      insert_.emplace(*database_,
                      fmt::format("INSERT INTO \"{}\" VALUES ({})", view, fmt::join(places, ", ")));
    });
  }
  void row(const std::vector<ViewValue>& values) override {
    guarded([&] {
      for (std::size_t i = 0; i < values.size(); ++i) bind(static_cast<int>(i) + 1, values[i]);
      insert_->exec();
      insert_->reset();
      insert_->clearBindings();
    });
  }
  void finish() override {
    guarded([&] {
      insert_.reset();
      database_->exec("COMMIT");
      database_.reset();
    });
  }

 private:
  void bind(int place, const ViewValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) insert_->bind(place, *whole);
    if (const auto* number = std::get_if<double>(&value)) insert_->bind(place, *number);
    if (const auto* text = std::get_if<std::string>(&value)) insert_->bind(place, *text);
  }
  template <class Work>
  void guarded(const Work& work) const {
    try {
      work();
    } catch (const SQLite::Exception& error) {
      throw base::RunError(fmt::format("{}: {}", file_.string(), error.what()));
    }
  }

  std::filesystem::path file_;
  std::optional<SQLite::Database> database_;
  std::optional<SQLite::Statement> insert_;
};

}  // namespace

std::unique_ptr<ViewWriter> make_sqlite_views(const std::filesystem::path& file) {
  return std::make_unique<SqliteViews>(file);
}

}  // namespace dlscale::analysis
