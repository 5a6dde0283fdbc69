// SPDX-License-Identifier: Apache-2.0
// Prints the content of record files and TFRecord files for `dlscale pack --info` and `--check`.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/pack_view.hpp"
#include "images/record_file.hpp"
#include "images/tfrecord_files.hpp"

namespace dlscale::cli {

/// Returns a summary such as "200 images of 10 classes, 6.9 MB, 34.5 KB per image".
std::string contents_of(const images::RecordFile& file);

/// Returns lines that describe the content, the storage and the source of a record file.
std::string facts_of(const images::RecordFile& file);

/// Returns lines that describe the content of a record file or of a TFRecord file.
std::string facts_of_file(const std::string& path);

/// Returns a line about TFRecord files that were written.
std::string describe_packed(const images::TfrecordFiles& files);

/// Returns a line about the result of packing a file. `written` is false if the file already
/// existed and was kept.
std::string describe_packed(const images::RecordFile& file, bool written);

/// Verifies the checksums of all records and shows the progress. Prints a line for each damaged
/// record and then a summary. Returns the number of damaged records.
int check_records(const images::RecordFile& file, PackView& view);

/// Verifies the records of all files, which are record files or TFRecord files. Returns the worst
/// exit code of the files. The exit code for an unreadable file is worse than the exit code for
/// damaged records.
int check_files(const std::vector<std::string>& files, PackView& view);

}  // namespace dlscale::cli
