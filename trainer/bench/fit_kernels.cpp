// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/fit_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/table_printer.hpp"
#include "trainer/bench/bench_kernels.hpp"
#include "trainer/bench/options.hpp"
#include "trainer/bench/progress_line.hpp"
#include "trainer/device/core_groups.hpp"

namespace dlscale::trainer {

const char* const kKernelFitUsage =
    "usage: dlscale-bench fit FILE [FILE ...] -o CALIBRATION.json [OPTION ...]\n"
    "  Train small networks that predict kernel times from measurements of dlscale-bench kernels.\n"
    "  Print their errors on sizes that were not used for training.\n"
    "  -o FILE       calibration to create; in an existing calibration, only replace the kernels\n"
    "  --epochs N    maximum number of epochs (default: 2000)\n"
    "  --seed N      seed for the data split and the initial weights (default: 1)\n"
    "  example:      dlscale-bench fit kernels.jsonl -o calibration.json\n";

namespace {

using TimesByKernel =
    std::map<std::pair<std::string, std::string>, std::vector<contract::KernelTime>>;

const KernelClass* class_called(const std::string& name) {
  for (const KernelClass& each : kernel_classes()) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

void require_one_device(const std::vector<contract::KernelSample>& samples,
                        const std::string& calibrated) {
  const contract::KernelSample& first = samples.front();
  for (const contract::KernelSample& each : samples) {
    if (each.device == first.device && each.threads == first.threads) continue;
    throw base::UsageError(
        fmt::format("the files contain times of {} with {} threads and of {} with {} threads; give "
                    "files of one device",
                    first.device, first.threads, each.device, each.threads));
  }
  if (!calibrated.empty() && calibrated != first.device) {
    throw base::UsageError(fmt::format(
        "the calibration is for {}, but the kernels were measured on {}; give another file to -o",
        calibrated, first.device));
  }
}

/// Throws base::UsageError if the samples were measured with different values of --rotate, because
/// a model of cached and uncached times describes neither of them.
void require_one_rotation(const std::vector<contract::KernelSample>& samples) {
  const std::string first = rotation_of(samples.front());
  for (const contract::KernelSample& each : samples) {
    const std::string rotated = rotation_of(each);
    if (rotated == first) continue;
    throw base::UsageError(
        fmt::format("the files contain times with --rotate {} and with --rotate {}; give files "
                    "that were measured with the same option",
                    first, rotated));
  }
}

/// Returns the measured times, grouped by kernel and precision. Ignores kernels outside
/// kernel_classes(). Throws base::UsageError when the size of a measurement is incomplete.
TimesByKernel times_by_kernel(const std::vector<contract::KernelSample>& samples) {
  std::map<std::tuple<std::string, std::string, KernelSize>, contract::KernelTime> last;
  for (const contract::KernelSample& each : samples) {
    const KernelClass* const kind = class_called(each.kernel);
    if (kind == nullptr) continue;
    const auto& inputs = inputs_of(kind->shape);
    if (!std::all_of(inputs.begin(), inputs.end(),
                     [&](const std::string& key) { return each.size.contains(key); })) {
      throw base::UsageError(fmt::format("a size of {} is incomplete; it needs {}", each.kernel,
                                         fmt::join(inputs, ", ")));
    }
    last[{each.kernel, each.precision, each.size}] = {
        each.kernel, each.size, each.precision, each.seconds, each.deviation_s, each.repetitions};
  }
  TimesByKernel times;
  for (auto& [key, time] : last) {
    times[{std::get<0>(key), std::get<1>(key)}].push_back(std::move(time));
  }
  return times;
}

std::string errors_in_table(const contract::Calibration& calibration) {
  const auto percent = [](double part) { return fmt::format("{:.1f}", 100 * part); };
  std::vector<std::vector<std::string>> rows;
  for (const contract::KernelModel& model : calibration.kernel_models) {
    const auto sizes = std::count_if(
        calibration.kernels.begin(), calibration.kernels.end(), [&](const auto& time) {
          return time.kernel == model.kernel && time.precision == model.precision;
        });
    const KernelClass* const kind = class_called(model.kernel);
    const bool published = kind != nullptr && kind->published_error > 0;
    rows.push_back({model.kernel, model.precision, std::to_string(sizes),
                    std::to_string(model.taught_with), percent(model.relative_error),
                    percent(model.weighted_relative_error),
                    published ? percent(kind->published_error) : "-"});
  }
  return base::print_table(
      {"kernel", "precision", "sizes", "trained on", "RE %", "WRE %", "published RE %"}, rows);
}

contract::Calibration calibration_at(const std::string& file) {
  if (!std::filesystem::exists(file)) return {};
  return contract::calibration_from_json(base::read_text_file(file), file);
}

/// Returns a text with one line for each kernel that has no model because too few sizes were
/// measured.
std::string untaught(const contract::Calibration& calibration) {
  std::map<std::string, std::size_t> sizes;
  for (const contract::KernelTime& each : calibration.kernels) ++sizes[each.kernel];
  std::string text;
  for (const auto& [kernel, count] : sizes) {
    if (count >= kFewestSizes) continue;
    text += fmt::format("{}: {} sizes, but at least {} are needed; measure more with --samples\n",
                        kernel, count, kFewestSizes);
  }
  return text;
}

}  // namespace

KernelFit read_kernel_fit(const std::vector<std::string>& arguments) {
  using Text = const std::string&;
  KernelFit fit;
  OptionTable options;
  options.valued = {
      {"-o", [&](Text, Text v) { fit.output = v; }},
      {"--epochs", [&](Text o, Text v) { fit.teaching.most_epochs = whole_value(o, v, 1); }},
      {"--seed", [&](Text o, Text v) {
         fit.teaching.seed = static_cast<std::uint64_t>(whole_value(o, v, 0));
       }}};
  options.word = [&](Text word) { fit.files.push_back(word); };
  read_options(arguments, options);
  if (fit.files.empty()) {
    throw base::UsageError(
        "dlscale-bench fit: FILE is missing; dlscale-bench kernels writes such files");
  }
  if (fit.output.empty()) throw base::UsageError("-o is missing; give the calibration file");
  return fit;
}

void fit_into(contract::Calibration& calibration,
              const std::vector<contract::KernelSample>& samples, const Teaching& teaching,
              const std::function<void(int, int, const std::string&)>& told) {
  if (samples.empty()) throw base::UsageError("the files contain no kernel times");
  require_one_device(samples, calibration.device);
  require_one_rotation(samples);
  calibration.device = samples.front().device;
  calibration.kernels.clear();
  calibration.kernel_models.clear();
  const TimesByKernel all = times_by_kernel(samples);
  int done = 0;
  for (const auto& [kernel, times] : all) {
    told(done++, static_cast<int>(all.size()), kernel.first);
    calibration.kernels.insert(calibration.kernels.end(), times.begin(), times.end());
    if (times.size() < kFewestSizes) continue;
    calibration.kernel_models.push_back(
        teach_kernel(times, inputs_of(class_called(kernel.first)->shape), teaching));
  }
  if (calibration.kernel_models.empty()) {
    throw base::UsageError(fmt::format(
        "no kernel has at least {} sizes for training; measure more with --samples", kFewestSizes));
  }
}

std::string fit_kernels(const KernelFit& fit) {
  use_threads(1);
  contract::Calibration calibration = calibration_at(fit.output);
  std::vector<contract::KernelSample> samples;
  for (const std::string& file : fit.files) {
    const contract::BenchRecords records =
        contract::bench_records_from_jsonl(base::read_file(file), file);
    samples.insert(samples.end(), records.kernels.begin(), records.kernels.end());
  }
  {
    const base::SystemClock clock;
    ProgressLine progress(clock, ProgressLine::is_on_terminal());
    fit_into(calibration, samples, fit.teaching,
             [&](int done, int all, const std::string& name) { progress.show(done, all, name); });
  }
  for (const auto& [key, value] : bench_made_with()) calibration.made_with[key] = value;
  if (calibration.source.empty()) {
    calibration.source = fmt::format("dlscale-bench fit {}", fmt::join(fit.files, " "));
  }
  base::write_file_atomically(fit.output, contract::to_json(calibration));
  return calibration.device + "\n" + errors_in_table(calibration) + untaught(calibration);
}

}  // namespace dlscale::trainer
