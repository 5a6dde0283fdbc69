// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale pack`, which writes folders of images into record files or TFRecord files,
// and inspects these files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/skip_tally.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/terminal/pack_view.hpp"
#include "cli/terminal/record_file_report.hpp"
#include "contract/run_outcome.hpp"
#include "images/packing.hpp"
#include "images/record_file.hpp"
#include "images/tfrecord_files.hpp"

namespace dlscale::cli {
namespace {

constexpr const char* kRecordFormat = "dlrec";
constexpr const char* kTfrecordFormat = "tfrecord";

struct PackOptions {
  std::string folder;
  std::string out;
  std::string split;  ///< split to pack; empty = both splits
  std::string format = kRecordFormat;
  int shards = 0;  ///< number of TFRecord files of a split; 0 = chosen by the number of images
  std::string as = "jpeg";
  int quality = images::kUsualQuality;
  std::string on_broken = "fail";
  images::PackOptions packing{
      .threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()))};
  std::vector<std::string> check;
  std::vector<std::string> info;
};

/// Packs a split and prints what was written. `name` is the name of the split.
void pack_one(const std::string& name, const images::Split& split, const PackOptions& options,
              const images::PackOptions& packing, PackView& view) {
  view.begin(split.out.string(), "images");
  std::string lines;
  const images::PackObserver observer{
      .progress = [&](std::int64_t done, std::int64_t total) { view.show(done, total); },
      .left_out = [&](const std::string& complaint) { view.complain("left out: " + complaint); },
      .skipped = [&](const base::SkipTally& skipped) { lines = base::describe_skipped(skipped); }};
  if (options.format == kTfrecordFormat) {
    const std::string prefix = images::tfrecord_split(name);
    images::pack_tfrecords(split.folder, split.classes, options.out, prefix, options.shards,
                           packing, observer);
    const images::TfrecordFiles files(images::find_shards(options.out, prefix),
                                      images::index_file_of(options.out, prefix));
    std::cout << describe_packed(files) << lines << std::flush;
    return;
  }
  const bool written =
      images::pack_split(split.folder, split.classes, split.out, packing, observer);
  std::cout << describe_packed(images::RecordFile(split.out), written) << lines << std::flush;
}

int pack(const PackOptions& options, PackView& view) {
  if (options.out.empty())
    throw base::UsageError("-o FOLDER is missing: name the folder for the packed files");
  // These calls detect errors in the options before any file is written.
  images::PackOptions packing = options.packing;
  packing.form = images::stored_form(options.as);
  packing.form.quality = options.quality;
  packing.leaves_out_broken = options.on_broken == "skip";
  if (options.format == kTfrecordFormat && packing.form.is_raw) {
    throw base::UsageError("--format tfrecord needs --as jpeg, or --as jpeg:256 to scale images");
  }
  if (options.format == kTfrecordFormat && packing.alignment != images::PackOptions{}.alignment) {
    throw base::UsageError("--align applies only to --format dlrec");
  }
  if (options.format != kTfrecordFormat && options.shards > 0) {
    throw base::UsageError("--shards applies only to --format tfrecord");
  }
  std::vector<std::pair<std::string, images::Split>> splits;
  for (const char* name : {images::kTrain, images::kTest}) {
    if (!options.split.empty() && options.split != name) continue;
    splits.emplace_back(name, images::find_split(options.folder, name, options.out));
  }
  base::SkipTally skipped;
  images::count_skipped_in_root(options.folder, skipped);
  std::cout << base::describe_skipped(skipped) << std::flush;
  base::make_directories(options.out);
  base::remove_left_parts(options.out);
  for (const auto& [name, split] : splits) pack_one(name, split, options, packing, view);
  return kExitOk;
}

int run(const PackOptions& options) {
  const base::SystemClock clock;
  PackView view(clock);
  try {
    if (!options.check.empty() || !options.info.empty()) {
      for (const std::string& file : options.info) std::cout << facts_of_file(file);
      return check_files(options.check, view);
    }
    if (options.folder.empty()) {
      throw base::UsageError(
          "name a folder that contains train and val: dlscale pack FOLDER -o OUT");
    }
    return pack(options, view);
  } catch (const Interrupted&) {
    fmt::print(stderr,
               "interrupted; complete record files are kept, incomplete ones are deleted\n");
    return kExitInterrupted;
  } catch (const base::RunError& error) {
    // kExitData is an exit code of the trainer. In dlscale the same number has another meaning.
    if (error.exit_code() == contract::kExitData) throw base::UsageError(error.what());
    throw;
  }
}

Action define_pack(CLI::App& app) {
  const auto options = std::make_shared<PackOptions>();
  app.add_option("folder", options->folder,
                 "folder with train and val (or validation, or test), each with one folder of JPEG "
                 "and PNG files per class")
      ->type_name(value_kind::kFolder);
  app.add_option("-o,--output", options->out, "folder for the packed files")
      ->type_name(value_kind::kFolder);
  app.add_option("--split", options->split, "pack only train or val")
      ->check(CLI::IsMember({images::kTrain, images::kTest}));
  app.add_option("--format", options->format,
                 "dlrec: one file per split for loader = \"packed\"; tfrecord: TFRecord files for "
                 "the data set tfrecord and for other programs")
      ->check(CLI::IsMember({kRecordFormat, kTfrecordFormat}))
      ->capture_default_str();
  app.add_option("--shards", options->shards,
                 "number of TFRecord files of each split (default: one for every 1000 images)")
      ->check(CLI::Range(1, 99999));
  app.add_option("--as", options->as,
                 "jpeg: copies of the files; jpeg:256: JPEG scaled down to a shorter side of 256; "
                 "raw:256: pixels of images scaled down to a shorter side of 256; raw: pixels of "
                 "the original size")
      ->capture_default_str();
  app.add_option("--quality", options->quality, "quality of re-encoded JPEG images")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option(
         "--threads", options->packing.threads,
         "number of threads that decode and encode. The result does not depend on this number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--on-broken", options->on_broken,
                 "fail: stop at the first broken image; skip: list broken images and omit them")
      ->check(CLI::IsMember({"fail", "skip"}))
      ->capture_default_str();
  app.add_option(
      "--shuffle", options->packing.shuffle_seed,
      "seed for a random order of the records (default: one image of each class in turn)");
  app.add_option("--align", options->packing.alignment,
                 "alignment of records in bytes, a power of two from 128. Values below 4096 save "
                 "space for small images")
      ->capture_default_str();
  app.add_flag("--force", options->packing.replaces,
               "replace record files that were packed differently");
  app.add_option("--check", options->check, "verify the checksums of all records in these files")
      ->type_name(value_kind::kFile);
  app.add_option("--info", options->info, "print what these files contain")
      ->type_name(value_kind::kFile);
  return [options] { return run(*options); };
}

}  // namespace

extern const CommandEntry pack_entry;
const CommandEntry pack_entry{
    .name = "pack",
    .summary = "Pack a folder of images into record files or TFRecord files",
    .example =
        "dlscale pack $DATA/imagenet -o $SCRATCH/imagenet-256 --as jpeg:256\n"
        "  dlscale pack --info $SCRATCH/imagenet-256/train.dlrec\n"
        "  dlscale pack --check $SCRATCH/imagenet-256/*.dlrec\n"
        "  dlscale pack $DATA/imagenet -o $SCRATCH/imagenet-tfrecord --format tfrecord",
    .define = &define_pack,
};

}  // namespace dlscale::cli
