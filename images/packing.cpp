// SPDX-License-Identifier: Apache-2.0
#include "images/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"
#include "images/in_order.hpp"
#include "images/record_file.hpp"
#include "images/record_writer.hpp"
#include "images/tfrecord_files.hpp"
#include "images/tfrecord_writer.hpp"

namespace dlscale::images {
namespace fs = std::filesystem;
namespace {

using Complaint = std::string;
using Stored = std::variant<StoredImage, Complaint>;

/// Returns the SHA-256 of the names and sizes of the files in order. A record file contains this
/// digest, which identifies the files from which the record file was packed.
std::string source_digest(const std::vector<ClassFile>& files, const fs::path& split) {
  std::string lines;
  for (const ClassFile& file : files) {
    std::error_code unreadable;
    const auto bytes = fs::file_size(file.path, unreadable);
    lines += fmt::format("{}\t{}\n", file.path.lexically_relative(split).string(),
                         unreadable ? 0 : bytes);
  }
  return contract::sha256_hex(lines);
}

std::string note_of(const std::vector<ClassFile>& files, const fs::path& split,
                    const PackOptions& options) {
  std::string note = fmt::format("as {}\n", to_string(options.form));
  if (!options.form.is_raw && options.form.shorter_side > 0) {
    note += fmt::format("quality {}\n", options.form.quality);
  }
  if (options.shuffle_seed) note += fmt::format("shuffle {}\n", *options.shuffle_seed);
  return note + fmt::format("files {}\nsha256 {}\n", files.size(), source_digest(files, split));
}

/// Shuffles the files with the algorithm of Fisher and Yates. std::shuffle is not used, because it
/// gives different orders with different standard libraries.
void shuffle(std::vector<ClassFile>& files, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = files.size(); left > 1; --left) {
    const std::uint64_t uneven = (0 - left) % left;  // number of rejected values: 2^64 mod left
    std::uint64_t number = random();
    while (number < uneven) number = random();
    std::swap(files[left - 1], files[number % left]);
  }
}

enum class Present { nothing, same, other };

Present present_at(const fs::path& out, const std::string& note, const ClassNames& classes,
                   const PackOptions& options) {
  if (!fs::exists(out)) return Present::nothing;
  try {
    const RecordFile file(out);
    const bool is_same = file.note() == note && file.classes() == classes &&
                         file.alignment() == options.alignment &&
                         (file.left_out() == 0 || options.leaves_out_broken);
    return is_same ? Present::same : Present::other;
  } catch (const base::Error&) {
    return Present::other;
  }
}

Stored store(ImageStorer& storer, const fs::path& path) {
  try {
    const std::string text = base::read_file(path);
    return storer.store({text.begin(), text.end()});
  } catch (const BrokenPicture& broken) {
    return fmt::format("{}: {}", path.string(), broken.what());
  } catch (const base::RunError& unreadable) {
    return std::string(unreadable.what());
  }
}

/// Converts all files, and calls `append` in order with each image and the number of its file.
/// Returns the number of broken images that were left out.
int store_all(const std::vector<ClassFile>& files, const PackOptions& options,
              const PackObserver& observer,
              const std::function<void(std::int64_t, const StoredImage&)>& append) {
  const auto total = static_cast<std::int64_t>(files.size());
  InOrder<Stored> images(total, options.threads, [&] {
    return [&files, storer = std::make_shared<ImageStorer>(options.form)](std::int64_t number) {
      return store(*storer, files[static_cast<std::size_t>(number)].path);
    };
  });
  int left_out = 0;
  for (std::int64_t i = 0; i < total; ++i) {
    const Stored stored = images.next();
    if (const auto* complaint = std::get_if<Complaint>(&stored)) {
      if (!options.leaves_out_broken) {
        throw base::UsageError(*complaint +
                               "; repair or remove it, or skip such images with "
                               "--on-broken skip");
      }
      ++left_out;
      observer.left_out(*complaint);
    } else {
      append(i, std::get<StoredImage>(stored));
    }
    observer.progress(i + 1, total);
  }
  if (left_out == total) throw base::UsageError("all images are broken, so nothing is packed");
  return left_out;
}

/// Removes the TFRecord files of a split and their index. If `replaces` is false, throws
/// base::UsageError if such a file exists.
void remove_shards(const fs::path& folder, const std::string& name, bool replaces) {
  std::vector<fs::path> present;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (split_of_shard(entry.path()) == name) present.push_back(entry.path());
  }
  if (!present.empty() && !replaces) {
    throw base::UsageError(
        fmt::format("{} already exists; replace the TFRecord files of this split with --force or "
                    "use another folder",
                    std::ranges::min(present).string()));
  }
  present.push_back(index_file_of(folder, name));
  for (const fs::path& path : present) {
    std::error_code error;
    fs::remove(path, error);
    if (error) {
      throw base::RunError(fmt::format("cannot remove {}: {}", path.string(), error.message()));
    }
  }
}

}  // namespace

Split find_split(const fs::path& root, const std::string& name, const fs::path& out) {
  const fs::path file = record_file_of(out, name);
  if (name == kTrain) return {root / kTrain, class_names(root / kTrain), file};
  return {test_folder(root), class_names_of_tree(root), file};
}

bool pack_split(const fs::path& split, const ClassNames& classes, const fs::path& out,
                const PackOptions& options, const PackObserver& observer) {
  base::SkipTally skipped;
  std::vector<ClassFile> files = class_files(split, classes, skipped);
  if (observer.skipped) observer.skipped(skipped);
  const std::string note = note_of(files, split, options);
  const Present present =
      options.replaces ? Present::nothing : present_at(out, note, classes, options);
  if (present == Present::same) return false;
  if (present == Present::other) {
    throw base::UsageError(
        fmt::format("{} already exists and was packed with other options or from other files; "
                    "replace it with --force or use another folder",
                    out.string()));
  }
  if (options.shuffle_seed) shuffle(files, *options.shuffle_seed);
  RecordWriter writer(out, {classes, note, options.alignment});
  writer.finish(
      store_all(files, options, observer, [&](std::int64_t number, const StoredImage& image) {
        writer.append({image.bytes, image.encoding, image.size.width, image.size.height,
                       files[static_cast<std::size_t>(number)].label});
      }));
  return true;
}

std::string tfrecord_split(const std::string& name) {
  return name == kTrain ? "train" : "validation";
}

void pack_tfrecords(const fs::path& split, const ClassNames& classes, const fs::path& out,
                    const std::string& name, int shards, const PackOptions& options,
                    const PackObserver& observer) {
  if (options.form.is_raw) {
    throw base::UsageError(
        "TFRecord files contain encoded images; use --as jpeg, or --as jpeg:256 to scale images");
  }
  base::SkipTally skipped;
  std::vector<ClassFile> files = class_files(split, classes, skipped);
  if (observer.skipped) observer.skipped(skipped);
  const auto images = static_cast<std::int64_t>(files.size());
  if (shards > images) {
    throw base::UsageError(fmt::format("--shards {} is more than the {} images of {}", shards,
                                       images, split.string()));
  }
  if (shards == 0) shards = static_cast<int>((images + kImagesPerShard - 1) / kImagesPerShard);
  remove_shards(out, name, options.replaces);
  if (options.shuffle_seed) shuffle(files, *options.shuffle_seed);
  TfrecordWriter writer(out, name, images, shards);
  store_all(files, options, observer, [&](std::int64_t number, const StoredImage& image) {
    const ClassFile& file = files[static_cast<std::size_t>(number)];
    const std::string file_name = file.path.filename().string();
    writer.append(number, {.encoded = image.bytes,
                           .format = image.encoding == Encoding::png ? "PNG" : "JPEG",
                           .height = image.size.height,
                           .width = image.size.width,
                           .label = file.label + 1,
                           .class_name = classes[file.label],
                           .filename = file_name});
  });
  writer.finish();
}

}  // namespace dlscale::images
