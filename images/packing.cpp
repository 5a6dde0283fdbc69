// SPDX-License-Identifier: Apache-2.0
#include "images/packing.hpp"

#include <fmt/format.h>

#include <memory>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"
#include "images/in_order.hpp"
#include "images/record_file.hpp"
#include "images/record_writer.hpp"

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

void write_records(const std::vector<ClassFile>& files, RecordWriter& writer,
                   const PackOptions& options, const PackObserver& observer) {
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
      const auto& image = std::get<StoredImage>(stored);
      writer.append({image.bytes, image.encoding, image.size.width, image.size.height,
                     files[static_cast<std::size_t>(i)].label});
    }
    observer.progress(i + 1, total);
  }
  if (left_out == total) throw base::UsageError("all images are broken, so nothing is packed");
  writer.finish(left_out);
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
  write_records(files, writer, options, observer);
  return true;
}

}  // namespace dlscale::images
