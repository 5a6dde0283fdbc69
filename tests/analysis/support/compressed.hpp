// SPDX-License-Identifier: Apache-2.0
// Functions that compress texts in the formats of gzip, xz, bzip2 and zstd.
#pragma once

#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <string>

namespace dlscale::test {

template <class Compressor>
std::string compressed_by(const Compressor& compressor, const std::string& text) {
  std::string bytes;
  boost::iostreams::filtering_ostream out;
  out.push(compressor);
  out.push(boost::iostreams::back_inserter(bytes));
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.reset();
  return bytes;
}

inline std::string compressed(const std::string& program, const std::string& text) {
  namespace io = boost::iostreams;
  if (program == "gzip") return compressed_by(io::gzip_compressor(), text);
  if (program == "xz") return compressed_by(io::lzma_compressor(), text);
  if (program == "bzip2") return compressed_by(io::bzip2_compressor(), text);
  return compressed_by(io::zstd_compressor(), text);
}

inline const char* const kCompressingPrograms[] = {"gzip", "xz", "bzip2", "zstd"};

}  // namespace dlscale::test
