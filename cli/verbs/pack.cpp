// SPDX-License-Identifier: Apache-2.0
// `dlscale pack`: a tree of image files to record files, and what is in such files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/skip_tally.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/terminal/pack_view.hpp"
#include "cli/terminal/record_file_report.hpp"
#include "contract/run_outcome.hpp"
#include "images/packing.hpp"
#include "images/record_file.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kTrain = "train";
constexpr const char* kTest = "val";  ///< whatever the folder is called

struct PackOptions {
  std::string folder;
  std::string out;
  std::string split;  ///< empty: both
  std::string as = "jpeg";
  int quality = images::kUsualQuality;
  int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::string on_broken = "fail";
  std::optional<std::uint64_t> shuffle_seed;
  std::uint32_t alignment = images::PackOptions{}.alignment;
  bool force = false;
  std::vector<std::string> check;
  std::vector<std::string> info;
};

images::PackOptions pack_options(const PackOptions& options) {
  images::PackOptions packing;
  packing.form = images::stored_form(options.as);
  packing.form.quality = options.quality;
  packing.threads = options.threads;
  packing.leaves_out_broken = options.on_broken == "skip";
  packing.shuffle_seed = options.shuffle_seed;
  packing.alignment = options.alignment;
  packing.replaces = options.force;
  return packing;
}

void pack_one(const PackOptions& options, const std::string& split, PackView& view) {
  const bool is_train = split == kTrain;
  const fs::path root = options.folder;
  const fs::path folder = is_train ? root / kTrain : images::test_folder(root);
  const images::ClassNames classes =
      is_train ? images::class_names(folder) : images::class_names_of_tree(root);
  const fs::path out = images::record_file_of(options.out, split);
  view.begin(out.string(), "images");
  std::string lines;
  const images::PackObserver observer{
      .progress = [&](std::int64_t done, std::int64_t total) { view.show(done, total); },
      .left_out = [&](const std::string& complaint) { view.complain("left out: " + complaint); },
      .skipped = [&](const base::SkipTally& skipped) { lines = base::describe_skipped(skipped); }};
  const bool written = images::pack_split(folder, classes, out, pack_options(options), observer);
  const images::RecordFile file(out);
  std::string line = fmt::format("{}: {}", out.string(), contents_of(file));
  if (file.left_out() > 0) {
    line += fmt::format("; {} left out", base::count_of(file.left_out(), "broken image"));
  }
  std::cout << line << (written ? "" : "; it was there already and stays as it is") << "\n"
            << lines << std::flush;
}

int pack(const PackOptions& options, PackView& view) {
  if (options.out.empty()) throw base::UsageError("-o FOLDER is missing: where record files go");
  // What cannot be is told before anything is written.
  pack_options(options);
  if (options.split != kTest) images::class_names(fs::path(options.folder) / kTrain);
  if (options.split != kTrain) images::class_names_of_tree(options.folder);
  base::SkipTally skipped;
  images::count_skipped_in_root(options.folder, skipped);
  std::cout << base::describe_skipped(skipped) << std::flush;
  base::make_directories(options.out);
  base::remove_left_parts(options.out);
  for (const char* split : {kTrain, kTest}) {
    if (options.split.empty() || options.split == split) pack_one(options, split, view);
  }
  return kExitOk;
}

/// One of the files that --check names. What cannot be read at all is told and is worse than
/// records that are damaged.
int check_one(const std::string& path, PackView& view) {
  try {
    return check_records(images::RecordFile(path), view) == 0 ? kExitOk : kExitRunsFailed;
  } catch (const base::RunError& error) {
    if (error.exit_code() != contract::kExitData) throw;
    view.complain(fmt::format("dlscale: {}", error.what()));
    return kExitUsage;
  }
}

/// All files, and then the worst of what was found.
int look(const PackOptions& options, PackView& view) {
  for (const std::string& path : options.info) std::cout << facts_of(images::RecordFile(path));
  int worst = kExitOk;
  for (const std::string& path : options.check) worst = std::max(worst, check_one(path, view));
  return worst;
}

int run(const PackOptions& options) {
  const base::SystemClock clock;
  PackView view(clock);
  try {
    if (!options.check.empty() || !options.info.empty()) return look(options, view);
    if (options.folder.empty()) {
      throw base::UsageError("a folder with train and val is missing: dlscale pack FOLDER -o OUT");
    }
    return pack(options, view);
  } catch (const Interrupted&) {
    fmt::print(stderr, "interrupted; whole record files stay, parts do not\n");
    return kExitInterrupted;
  } catch (const base::RunError& error) {
    // The trainer's code for bad data means something else here.
    if (error.exit_code() == contract::kExitData) throw base::UsageError(error.what());
    throw;
  }
}

void add_look_options(CLI::App& app, PackOptions& options) {
  CLI::Option* check = app.add_option("--check", options.check,
                                      "compare the checksums of all records of these files");
  CLI::Option* info = app.add_option("--info", options.info, "say what is in these files");
  for (CLI::Option* option : {check, info}) option->type_name(value_kind::kFile);
}

Action define_pack(CLI::App& app) {
  const auto options = std::make_shared<PackOptions>();
  app.add_option("folder", options->folder,
                 "a folder with train and val (or validation, or test), each with a folder of "
                 "JPEG and PNG files for each class")
      ->type_name(value_kind::kFolder);
  app.add_option("-o,--output", options->out, "folder for train.dlrec and val.dlrec")
      ->type_name(value_kind::kFolder);
  app.add_option("--split", options->split, "one of them only")
      ->check(CLI::IsMember({kTrain, kTest}));
  app.add_option("--as", options->as,
                 "jpeg: images as their files have them; jpeg:256: JPEG, scaled down to a shorter "
                 "side of 256; raw:256: so, as pixels; raw: as pixels")
      ->capture_default_str();
  app.add_option("--quality", options->quality, "of JPEG files that are written anew")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--threads", options->threads, "that decode; the file does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--on-broken", options->on_broken,
                 "fail: the first broken image is an error; skip: they are named and left out")
      ->check(CLI::IsMember({"fail", "skip"}))
      ->capture_default_str();
  app.add_option("--shuffle", options->shuffle_seed,
                 "SEED of a random order of the records (default: class after class in turn)");
  app.add_option("--align", options->alignment,
                 "records begin at multiples of so many bytes, a power of two from 128 on; less "
                 "than 4096 saves space where images are small")
      ->capture_default_str();
  app.add_flag("--force", options->force, "replace record files that were packed otherwise");
  add_look_options(app, *options);
  return [options] { return run(*options); };
}

}  // namespace

extern const CommandEntry pack_entry;
const CommandEntry pack_entry{
    .name = "pack",
    .summary = "Pack a folder of images into record files, which the loader packed reads",
    .example =
        "dlscale pack $DATA/imagenet -o $SCRATCH/imagenet-256 --as jpeg:256\n"
        "  dlscale pack --info $SCRATCH/imagenet-256/train.dlrec\n"
        "  dlscale pack --check $SCRATCH/imagenet-256/*.dlrec",
    .define = &define_pack,
};

}  // namespace dlscale::cli
