// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/foreign_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>

#include <zstd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "analysis/import/foreign_log.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

namespace io = boost::iostreams;
using Input = io::filtering_streambuf<io::input>;
using std::string_view_literals::operator""sv;

constexpr std::size_t kBlock = std::size_t{64} << 10;

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b\x08"sv);
}

bool is_xz(std::string_view bytes) {
  return bytes.starts_with("\xfd\x37zXZ\0"sv);
}

/// Returns true for a bzip2 file. The header is "BZh" and the compression level, followed by the
/// magic number of a block (the digits of pi) or the magic number of the end of the stream.
bool is_bzip2(std::string_view bytes) {
  if (!bytes.starts_with("BZh") || bytes.size() < 10 || bytes[3] < '1' || bytes[3] > '9') {
    return false;
  }
  const std::string_view next = bytes.substr(4, 6);
  return next == "\x31\x41\x59\x26\x53\x59"sv || next == "\x17\x72\x45\x38\x50\x90"sv;
}

/// Returns true if the file begins with a zstd frame or with a skippable frame, which pzstd writes
/// first (RFC 8878, 3.1).
bool is_zstd(std::string_view bytes) {
  if (bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return true;
  const bool is_skippable = bytes.size() >= 4 && bytes.substr(1, 3) == "\x2a\x4d\x18"sv;
  return is_skippable && (static_cast<unsigned char>(bytes[0]) & 0xf0U) == 0x50;
}

/// Returns true if every zstd frame is complete. Boost's decompressor cannot detect a truncated
/// file because it treats the end of the file as the end of a frame.
bool has_whole_frames(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
    if (ZSTD_isError(size) != 0 || size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

/// Decompresses `bytes` with a Boost filter and passes the text to `consume`. Returns false if the
/// data is damaged.
template <class Decompressor>
bool pass_through(std::string_view bytes, const ConsumeBytes& consume) {
  try {
    Input input;
    input.push(Decompressor());
    input.push(io::array_source(bytes.data(), bytes.size()));
    std::string block(kBlock, '\0');
    for (;;) {
      const std::streamsize size = input.sgetn(block.data(), std::streamsize{kBlock});
      if (size <= 0) return true;
      if (!consume(std::string_view(block).substr(0, static_cast<std::size_t>(size)))) return true;
    }
  } catch (const std::ios_base::failure&) {  // base class of all errors of these decompressors
    return false;
  }
}

struct TakingSink {
  using char_type = char;
  using category = io::sink_tag;
  const ConsumeBytes& consume;
  bool wants_more = true;

  std::streamsize write(const char* text, std::streamsize size) {
    wants_more = wants_more && consume(std::string_view(text, static_cast<std::size_t>(size)));
    return size;
  }
};

/// Decompresses gzip members that may be followed by zero padding.
/// gzip accepts zeros after the last member, because devices with fixed block sizes pad files.
/// Boost's decompressor would read the first padding byte as the header of another member. A member
/// may itself end with zero bytes, so only the decompressor can find where the padding begins. The
/// trailing zeros are therefore passed byte by byte, and a header error marks the padding.
bool pass_gzip(std::string_view bytes, const ConsumeBytes& consume) {
  const std::size_t last_zeros = bytes.find_last_not_of('\0') + 1;
  io::gzip_decompressor gzip;
  TakingSink sink{consume};
  const auto write = [&](std::string_view piece) {
    gzip.write(sink, piece.data(), static_cast<std::streamsize>(piece.size()));
  };
  try {
    for (std::size_t at = 0; at < last_zeros && sink.wants_more; at += kBlock) {
      write(bytes.substr(at, std::min(kBlock, last_zeros - at)));
    }
    for (std::size_t at = last_zeros; at < bytes.size() && sink.wants_more; ++at) {
      try {
        write(bytes.substr(at, 1));
      } catch (const io::gzip_error& error) {
        if (error.error() != io::gzip::bad_header) throw;
        return true;  // The byte is padding, because no header begins with a zero byte.
      }
    }
    if (sink.wants_more) gzip.close(sink, std::ios_base::out);
    return true;
  } catch (const std::ios_base::failure&) {
    return false;
  }
}

struct Compression {
  std::string_view name;
  bool (*recognises)(std::string_view bytes);
  bool (*pass)(std::string_view bytes, const ConsumeBytes& consume);  ///< decompression function
  bool (*is_whole)(std::string_view bytes) = nullptr;                 ///< null: no test needed
};

constexpr Compression kCompressions[] = {
    {"gzip", &is_gzip, &pass_gzip},
    {"xz", &is_xz, &pass_through<io::lzma_decompressor>},
    {"bzip2", &is_bzip2, &pass_through<io::bzip2_decompressor>},
    {"zstd", &is_zstd, &pass_through<io::zstd_decompressor>, &has_whole_frames},
};

const Compression* find_compression(std::string_view bytes) {
  for (const Compression& compression : kCompressions) {
    if (compression.recognises(bytes)) return &compression;
  }
  return nullptr;
}

}  // namespace

std::string_view compression_of(std::string_view bytes) {
  const Compression* const compression = find_compression(bytes);
  return compression == nullptr ? std::string_view() : compression->name;
}

bool decompress(std::string_view bytes, const ConsumeBytes& consume) {
  const Compression* const compression = find_compression(bytes);
  if (compression == nullptr) return false;
  const bool is_whole = compression->is_whole == nullptr || compression->is_whole(bytes);
  return is_whole && compression->pass(bytes, consume);
}

bool decompress_head(std::string_view bytes, std::size_t wanted, const ConsumeBytes& consume) {
  const Compression* const compression = find_compression(bytes);
  if (compression == nullptr) return false;
  std::size_t passed = 0;
  const bool is_good = compression->pass(bytes, [&](std::string_view block) {
    passed += block.size();
    return consume(block) && passed < wanted;
  });
  const bool is_at_end = passed < wanted && compression->is_whole != nullptr;
  return is_good && (!is_at_end || compression->is_whole(bytes));
}

namespace {

constexpr std::int64_t kLargestLog = std::int64_t{2} << 30;
constexpr std::int64_t kMappedFrom = std::int64_t{64} << 20;

/// Memory mapping of a large file, which avoids a copy of the file in memory.
class MemoryMap {
 public:
  /// Throws base::RunError if the file cannot be mapped.
  explicit MemoryMap(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      bytes_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0) ::close(file);
    if (bytes_ == MAP_FAILED) throw base::RunError(path.string() + ": cannot be read");
    ::madvise(bytes_, size_, MADV_SEQUENTIAL);
  }
  ~MemoryMap() { ::munmap(bytes_, size_); }
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;

  std::string_view text() const { return {static_cast<const char*>(bytes_), size_}; }

 private:
  void* bytes_ = MAP_FAILED;
  std::size_t size_ = 0;
};

/// Maximum number of bytes of launcher prefixes, such as "[1,0]<stdout>:", in a line. These bytes
/// do not count toward the length of the line.
constexpr std::size_t kLongestPrefixes = 512;

/// Number of bytes that are kept of a longer line. A truncated line remains longer than
/// kLongestLine, so that readers still recognise it as too long.
constexpr std::size_t kKeptOfLine = kLongestLine + kLongestPrefixes;

/// Copies a text block by block and truncates lines that are too long for readers.
class LineCutter {
 public:
  enum class Keeps { text, size_alone };
  explicit LineCutter(Keeps keeps = Keeps::text) : keeps_(keeps) {}
  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  void scan_block(std::string_view block) {
    while (!block.empty()) {
      const std::size_t newline = block.find('\n');
      const bool is_whole = newline != block.npos;
      take_line(block.substr(0, newline), is_whole);
      if (!is_whole) return;
      keep("\n");
      line_bytes_ = 0;
      block.remove_prefix(newline + 1);
    }
  }
  std::size_t size() const { return size_; }
  std::string take_text() { return std::move(text_); }

 private:
  /// Adds a piece of a line. A carriage return also separates lines, as in LogLines.
  void take_line(std::string_view piece, bool is_whole) {
    while (line_bytes_ + piece.size() > kKeptOfLine) {
      const std::size_t mark = piece.find('\r');
      if (mark == piece.npos) break;
      keep_part(piece.substr(0, mark));
      keep("\r");
      line_bytes_ = 0;
      piece.remove_prefix(mark + 1);
    }
    keep_part(piece);
    if (is_whole) return;
    const std::size_t mark = piece.rfind('\r');
    line_bytes_ = mark == piece.npos ? line_bytes_ + piece.size() : piece.size() - mark - 1;
  }
  void keep_part(std::string_view piece) {
    keep(piece.substr(0, kKeptOfLine - std::min(line_bytes_, kKeptOfLine)));
  }
  void keep(std::string_view piece) {
    size_ += piece.size();
    if (keeps_ == Keeps::text) text_.append(piece);
  }

  std::string text_;
  std::size_t size_ = 0;
  std::size_t line_bytes_ = 0;  ///< number of bytes of the current line so far
  Keeps keeps_;
};

std::string without_long_lines(std::string_view text) {
  LineCutter kept;
  kept.scan_block(text);
  return kept.take_text();
}

/// Returns the archive type of a file by its first bytes, such as "tar", or an empty text for other
/// files.
std::string_view container_of(std::string_view head) {
  constexpr std::size_t kUstar = 257;  // offset of the text "ustar" (POSIX, pax: ustar format)
  if (head.size() > kUstar && head.substr(kUstar).starts_with("ustar")) return "tar";
  if (head.starts_with("PK\x03\x04")) return "zip";
  return head.starts_with("7z\xbc\xaf\x27\x1c") ? "7z" : "";
}

/// Returns the reason why a text cannot be read as a log, or an empty text if it can be read.
/// `text` is the whole text or its beginning.
std::string fault_of(std::string_view text) {
  const std::string_view container = container_of(text);
  if (!container.empty()) {
    return fmt::format("is a {} archive; unpack it and name the folder", container);
  }
  if (text.empty()) return "is empty";
  const std::size_t zero = text.find('\0');
  return zero == text.npos ? "" : fmt::format("is not a text file (byte {} is 0)", zero + 1);
}

std::string damage_of(std::string_view compression) {
  // Boost's xz decompressor has a memory limit that files with a very large dictionary exceed.
  const char* const limit = compression == "xz" ? ", or its decompression needs more than 100 "
                                                  "MiB of memory"
                                                : "";
  return fmt::format("is a damaged or incomplete {0} file{1}; run {0} -t for details", compression,
                     limit);
}

/// Decompresses a log in one or two passes. The first pass stores the text. If the text exceeds
/// kMappedFrom, the first pass discards it and only counts bytes, so that a small file that expands
/// to an excessive size does not use much memory. A second pass then stores the text with long
/// lines truncated.
class DecompressedLog {
 public:
  explicit DecompressedLog(std::string_view bytes) : bytes_(bytes) {}

  void read(ForeignText& foreign) {
    const bool is_good =
        decompress(bytes_, [this](std::string_view block) { return survey(block); });
    foreign.problem = fault_;
    foreign.is_damaged = foreign.problem.empty() && !is_good;
    if (foreign.is_damaged) foreign.problem = damage_of(compression_of(bytes_));
    if (foreign.problem.empty() && total_ == 0) foreign.problem = fault_of("");
    if (!foreign.problem.empty()) return;
    foreign.text = total_ <= kMappedFrom ? std::move(text_) : cut_text();
  }

 private:
  /// Examines the next block in the first pass. Returns false as soon as the data is too large or
  /// contains a zero byte. Data with a zero byte is not a text.
  bool survey(std::string_view block) {
    if (total_ == 0) fault_ = fault_of(block);
    const std::size_t zero = block.find('\0');
    if (fault_.empty() && zero != block.npos) {
      const std::int64_t place = total_ + static_cast<std::int64_t>(zero) + 1;
      fault_ = fmt::format("is not a text file (byte {} is 0)", place);
    }
    total_ += static_cast<std::int64_t>(block.size());
    if (fault_.empty() && total_ > kLargestLog) {
      fault_ = fmt::format("has more than the allowed {} bytes when decompressed", kLargestLog);
    }
    if (!fault_.empty()) return false;
    cut_.scan_block(block);
    if (total_ <= kMappedFrom) {
      text_ += block;
    } else {
      std::string().swap(text_);  // releases the memory of the text
    }
    return true;
  }

  std::string cut_text() {
    LineCutter kept;
    kept.reserve(cut_.size());
    decompress(bytes_, [&kept](std::string_view block) {
      kept.scan_block(block);
      return true;
    });
    return kept.take_text();
  }

  std::string_view bytes_;
  std::string text_;  ///< text of the first pass; empty if it exceeds kMappedFrom
  LineCutter cut_{LineCutter::Keeps::size_alone};
  std::int64_t total_ = 0;
  std::string fault_;
};

/// Stores the SHA-256 and the text of a small file in `foreign`.
void take_text(ForeignText& foreign, std::string bytes) {
  foreign.sha256 = contract::sha256_hex(bytes);
  if (!compression_of(bytes).empty()) return DecompressedLog(bytes).read(foreign);
  foreign.problem = fault_of(bytes);
  if (foreign.problem.empty()) foreign.text = std::move(bytes);
}

/// Stores the SHA-256 and the text of a memory-mapped file in `foreign`, with long lines truncated.
void take_text_of_mapped(ForeignText& foreign, std::string_view bytes) {
  foreign.sha256 = contract::sha256_hex(bytes);
  if (!compression_of(bytes).empty()) return DecompressedLog(bytes).read(foreign);
  foreign.problem = fault_of(bytes);
  if (foreign.problem.empty()) foreign.text = without_long_lines(bytes);
}

/// Beginning of a log, decompressed if the file is compressed.
struct Head {
  std::string bytes;
  std::string damage;  ///< description of the damage to a compressed file
};

Head read_head(const fs::path& path, std::size_t wanted = kSampledBytes) {
  std::ifstream file(path, std::ios::binary);
  Head head{std::string(wanted, '\0'), ""};
  file.read(head.bytes.data(), static_cast<std::streamsize>(head.bytes.size()));
  head.bytes.resize(static_cast<std::size_t>(file.gcount()));
  const std::string_view compression = compression_of(head.bytes);
  if (compression.empty()) return head;
  head.bytes.clear();
  try {
    const MemoryMap mapped(path);
    const bool is_good = decompress_head(mapped.text(), wanted, [&](std::string_view block) {
      head.bytes += block;
      return true;
    });
    if (!is_good) head.damage = damage_of(compression);
  } catch (const base::RunError&) {  // the file was removed in the meantime
  }
  return head;
}

}  // namespace

std::string head_of(const fs::path& path, std::size_t bytes) {
  std::string head = read_head(path, bytes).bytes;
  if (head.starts_with(kByteOrderMark)) head.erase(0, kByteOrderMark.size());
  return head.find('\0') == std::string::npos ? head : "";
}

HeadProblem head_problem_of(const fs::path& path) {
  const Head head = read_head(path);
  if (!head.damage.empty()) return {head.damage, true};
  return {fault_of(head.bytes), false};
}

std::string refusal_of(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::strerror(errno);
  char first = 0;
  const bool is_readable = ::read(file, &first, 1) >= 0;
  const int error = errno;
  ::close(file);
  return is_readable ? "" : std::strerror(error);
}

ForeignText read_foreign(const fs::path& path) {
  ForeignText foreign;
  const FileStamp stamp = stamp_of(path);
  if (stamp.size < 0) {
    foreign.problem = "no longer exists";
  } else if (stamp.size > kLargestLog) {
    foreign.problem = fmt::format("has {} bytes; at most {} are read", stamp.size, kLargestLog);
  }
  if (!foreign.problem.empty()) return foreign;
  try {
    if (stamp.size > kMappedFrom) {
      take_text_of_mapped(foreign, MemoryMap(path).text());
    } else {
      take_text(foreign, base::read_file(path));
    }
  } catch (const base::RunError&) {
    const std::string refusal = refusal_of(path);
    foreign.problem = "cannot be read" + (refusal.empty() ? "" : ": " + refusal);
    foreign.is_unreadable = true;
  }
  if (foreign.text.starts_with(kByteOrderMark)) foreign.text.erase(0, kByteOrderMark.size());
  return foreign;
}

}  // namespace dlscale::analysis
