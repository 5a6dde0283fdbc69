// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/record_file_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/text.hpp"
#include "contract/run_outcome.hpp"
#include "workspace/runs/inventory.hpp"

namespace dlscale::cli {
namespace {

const char* name_of(images::Encoding encoding) {
  switch (encoding) {
    case images::Encoding::jpeg:
      return "JPEG";
    case images::Encoding::png:
      return "PNG";
    case images::Encoding::raw:
      return "raw pixels";
  }
  return "?";
}

struct PixelRange {
  int least = 0, most = 0;
  void include(int value) {
    least = least == 0 ? value : std::min(least, value);
    most = std::max(most, value);
  }
  std::string text() const {
    return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  }
};

/// Joins the lines of the note in a record file to one line.
std::string joined(std::string_view note) {
  std::string line(note.substr(0, note.find_last_not_of('\n') + 1));
  for (std::size_t at = 0; (at = line.find('\n', at)) != line.npos;) line.replace(at, 1, ", ");
  return line;
}

}  // namespace

std::string contents_of(const images::RecordFile& file) {
  std::string text =
      fmt::format("{} of {}, {}", base::count_of(file.size(), "image"),
                  base::count_of(file.classes().size(), "class"),
                  workspace::size_text(static_cast<std::uint64_t>(file.file_bytes())));
  if (file.size() > 0) {
    text += fmt::format(", {:.1f} KB per image",
                        static_cast<double>(file.file_bytes()) / 1e3 / double(file.size()));
  }
  return text;
}

std::string facts_of(const images::RecordFile& file) {
  std::map<images::Encoding, std::int64_t> encodings;
  PixelRange widths, heights;
  for (std::int64_t i = 0; i < file.size(); ++i) {
    const images::Record record = file.entry(i);
    ++encodings[record.encoding];
    widths.include(record.width);
    heights.include(record.height);
  }
  std::string stored;
  for (const auto& [encoding, count] : encodings) {
    stored += fmt::format("{}{} {}", stored.empty() ? "" : ", ", count, name_of(encoding));
  }
  return fmt::format(
      "{}\n"
      "  holds     {}\n"
      "  stored    {}; {} pixels wide, {} high\n"
      "  records   begin at multiples of {} bytes\n"
      "  left out  {}\n"
      "  packed    {}\n",
      file.path().string(), contents_of(file), stored.empty() ? "nothing" : stored, widths.text(),
      heights.text(), file.alignment(), base::count_of(file.left_out(), "broken image"),
      joined(file.note()));
}

std::string contents_of(const images::TfrecordFiles& files) {
  const std::string size =
      fmt::format("{} in {}, {}", base::count_of(files.size(), "image"),
                  base::count_of(static_cast<std::int64_t>(files.shards().size()), "file"),
                  workspace::size_text(files.file_bytes()));
  if (files.size() == 0) return size;
  return size + fmt::format(", {:.1f} KB per image", static_cast<double>(files.file_bytes()) / 1e3 /
                                                         static_cast<double>(files.size()));
}

std::string facts_of_file(const std::string& path) {
  if (images::split_of_shard(path).empty()) return facts_of(images::RecordFile(path));
  const images::TfrecordFiles file({path});
  std::int64_t least = 0, most = 0;
  for (std::int64_t i = 0; i < file.size(); ++i) {
    const std::int64_t label = file.entry(i).label;
    least = i == 0 ? label : std::min(least, label);
    most = std::max(most, label);
  }
  return fmt::format(
      "{}\n"
      "  holds     {}\n"
      "  labels    {} to {}\n",
      path, contents_of(file), least, most);
}

std::string describe_packed(const images::TfrecordFiles& files) {
  return fmt::format("{}: {}\n", files.shards().front().string(), contents_of(files));
}

namespace {

/// Verifies each record and shows the progress. Prints a line for each damaged record and
/// then a summary. Returns the number of damaged records.
template <class File>
int check_each(const File& file, const std::string& path, PackView& view) {
  view.begin(path, "records");
  int damaged = 0;
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < file.size(); ++i) {
    try {
      file.verify(i, bytes);
    } catch (const images::BrokenPicture& broken) {
      ++damaged;
      view.complain(fmt::format("{}: {}", file.name(i), broken.what()));
    }
    view.show(i + 1, file.size());
  }
  const std::string verdict =
      damaged == 0 ? "all checksums are correct"
                   : fmt::format("{} damaged", base::count_of(damaged, "record is", "records are"));
  std::cout << fmt::format("{}: {}: {}\n", path, contents_of(file), verdict);
  return damaged;
}

}  // namespace

int check_records(const images::RecordFile& file, PackView& view) {
  return check_each(file, file.path().string(), view);
}

std::string describe_packed(const images::RecordFile& file, bool written) {
  std::string line = fmt::format("{}: {}", file.path().string(), contents_of(file));
  if (file.left_out() > 0) {
    line += fmt::format("; {} left out", base::count_of(file.left_out(), "broken image"));
  }
  return line + (written ? "\n" : "; it already exists and is unchanged\n");
}

namespace {

int check_one(const std::string& path, PackView& view) {
  try {
    const int damaged = images::split_of_shard(path).empty()
                            ? check_records(images::RecordFile(path), view)
                            : check_each(images::TfrecordFiles({path}), path, view);
    return damaged == 0 ? base::kExitOk : base::kExitRunsFailed;
  } catch (const base::RunError& error) {
    if (error.exit_code() != contract::kExitData) throw;
    view.complain(fmt::format("dlscale: {}", error.what()));
    return base::kExitUsage;
  }
}

}  // namespace

int check_files(const std::vector<std::string>& files, PackView& view) {
  int worst = base::kExitOk;
  for (const std::string& file : files) worst = std::max(worst, check_one(file, view));
  return worst;
}

}  // namespace dlscale::cli
