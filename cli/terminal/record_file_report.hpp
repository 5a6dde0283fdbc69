// SPDX-License-Identifier: Apache-2.0
// What `dlscale pack --info` and `--check` say of a record file.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/pack_view.hpp"
#include "images/record_file.hpp"

namespace dlscale::cli {

/// "200 images of 10 classes, 6.9 MB, 34.5 KB an image".
std::string contents_of(const images::RecordFile& file);

/// Some lines: what is in it, how it is stored, what it was packed from.
std::string facts_of(const images::RecordFile& file);

/// Returns a line on a file that was just packed, or was there already and stays as it is.
std::string describe_packed(const images::RecordFile& file, bool written);

/// Compares all checksums and shows how far it is. Prints a line for each record that is damaged,
/// then one of the whole. Returns how many are damaged.
int check_records(const images::RecordFile& file, PackView& view);

/// Checks the records of all files. Returns the exit code of the worst that was found: a file that
/// cannot be read is worse than records that are damaged.
int check_files(const std::vector<std::string>& files, PackView& view);

}  // namespace dlscale::cli
