// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/launch_log_reader.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "analysis/import/described_format.hpp"
#include "analysis/import/launch_format.hpp"
#include "analysis/import/reading/launcher_prefix.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// A log of at most this size is read completely.
constexpr std::uintmax_t kWhole_bytes = std::uintmax_t{4} << 20;
/// Bytes that are read at the beginning and at the end of a larger log.
constexpr std::size_t kBegin_bytes = std::size_t{256} << 10;
constexpr std::size_t kEnd_bytes = std::size_t{1} << 20;

/// Log format of a run: a format that dlscale knows, or the format that the study describes.
class RunFormat {
 public:
  RunFormat(const contract::PlannedRun& run, const contract::PlanDir& folder) {
    const std::string name = contract::log_format_name(run);
    const fs::path file = folder.log_format_toml();
    if (fs::exists(file)) described_.emplace(base::read_file(file), file.string());
    const bool is_described = described_ && described_->entry().name == name;
    format_ = is_described ? &described_->entry()
                           : &base::find(analysis::log_formats(), "log format", name);
  }
  const analysis::LogFormat& format() const { return *format_; }

  /// Reads the text of the log of a launch.
  analysis::LogContent read(const contract::LaunchDir& launch, std::string text,
                            const contract::RunSpec& run) const {
    text = analysis::without_launcher_prefixes(std::move(text));
    if (!described_ || &described_->entry() != format_) return format_->read(text, run);
    return analysis::LaunchFormat(*described_, launch, run).entry().read(text, run);
  }

 private:
  std::optional<analysis::DescribedFormat> described_;
  const analysis::LogFormat* format_ = nullptr;
};

/// Returns the log, or the lines at its beginning and at its end.
std::string read_ends_of(const fs::path& file) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(file, missing);
  if (missing) return "";
  if (size <= kWhole_bytes) return base::read_file(file);
  std::string begin(kBegin_bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  begin.resize(begin.rfind('\n') + 1);  // without a newline, npos + 1 is 0
  const std::string end = base::read_end(file, kEnd_bytes);
  return begin + end.substr(std::min(end.find('\n'), end.size() - 1) + 1);
}

}  // namespace

fs::path log_file(const contract::LaunchDir& launch, const contract::PlannedRun& run,
                  const contract::PlanDir& folder) {
  return launch.root() / RunFormat(run, folder).format().launch_file();
}

std::vector<contract::ResultRecord> read_launch_log(const contract::LaunchDir& launch,
                                                    const contract::PlannedRun& run,
                                                    const contract::PlanDir& folder) {
  if (contract::writes_records(run)) return {};
  try {
    const RunFormat log(run, folder);
    const fs::path description = folder.run(run.run_id).run_json();
    const contract::RunSpec spec = contract::run_spec_from_json(base::read_file(description), "");
    return log.read(launch, read_ends_of(launch.root() / log.format().launch_file()), spec)
        .file.records;
  } catch (const base::Error&) {  // the run may just be writing its files
    return {};
  }
}

bool has_measurements(const contract::LaunchDir& launch, const contract::PlannedRun& run,
                      const contract::PlanDir& folder) {
  const std::vector<contract::ResultRecord> records =
      contract::writes_records(run)
          ? contract::parse_results(read_ends_of(launch.results())).records
          : read_launch_log(launch, run, folder);
  return std::ranges::any_of(records, [](const contract::ResultRecord& record) {
    return std::holds_alternative<contract::StepWindow>(record) ||
           std::holds_alternative<contract::EpochRecord>(record) ||
           std::holds_alternative<contract::EvalRecord>(record) ||
           std::holds_alternative<contract::InferenceRecord>(record);
  });
}

}  // namespace dlscale::workspace
