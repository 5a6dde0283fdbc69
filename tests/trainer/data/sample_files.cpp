// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/data/sample_files.hpp"

#include <fmt/format.h>
#include <png.h>

#include <functional>
#include <vector>

#include "base/file.hpp"
#include "images/encode.hpp"
#include "images/packing.hpp"

namespace dlscale::test {
namespace fs = std::filesystem;
using namespace std::string_literals;
namespace {

constexpr int kTrain = 60, kTest = 40;

std::string number(int value) {
  return {0, 0, static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string lines(int count, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i) + "\n";
  return text;
}

void write_lines(const fs::path& folder, const std::string& train, const std::string& test,
                 const std::function<std::string(int)>& line) {
  write_text(folder / train, lines(kTrain, line));
  write_text(folder / test, lines(kTest, line));
}

std::string word(int i) {
  return "word"s + static_cast<char>('a' + i % 7);
}

std::vector<unsigned char> pixels(int height, int width, unsigned char grey) {
  return std::vector<unsigned char>(static_cast<std::size_t>(3 * height * width), grey);
}

}  // namespace

void write_text(const fs::path& path, const std::string& text) {
  base::make_directories(path.parent_path());
  base::write_file_atomically(path, text);
}

void write_idx(const fs::path& folder, int train, int test, int extra_labels) {
  const auto write = [&](const std::string& prefix, int count) {
    std::string images = "\0\0\x08\x03"s + number(count) + number(8) + number(8);
    std::string labels = "\0\0\x08\x01"s + number(count + extra_labels);
    images.append(static_cast<std::size_t>(count) * 64, '\x40');
    for (int i = 0; i < count + extra_labels; ++i) labels += static_cast<char>(i % 10);
    base::write_file_atomically(folder / (prefix + "-images-idx3-ubyte"), images);
    base::write_file_atomically(folder / (prefix + "-labels-idx1-ubyte"), labels);
  };
  write("train", train);
  write("t10k", test);
}

void write_png(const fs::path& path, int height, int width, unsigned char grey) {
  base::make_directories(path.parent_path());
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  const auto colours = pixels(height, width, grey);
  png_image_write_to_file(&image, path.c_str(), 0, colours.data(), 0, nullptr);
}

void write_jpeg(const fs::path& path, int height, int width, unsigned char grey) {
  const auto colours = pixels(height, width, grey);
  const auto bytes = images::encode_jpeg({colours.data(), height, width, 3 * width});
  write_text(path, {bytes.begin(), bytes.end()});
}

void write_samples(const std::string& kind, const fs::path& folder) {
  if (kind == "mnist" || kind == "fashion_mnist") write_idx(folder, kTrain, kTest);
  if (kind == "cifar10") {
    std::string records;
    for (int i = 0; i < kTrain; ++i) {
      records += static_cast<char>(i % 10);
      records.append(3072, 'x');
    }
    write_text(folder / "data_batch_1.bin", records);
    write_text(folder / "test_batch.bin", records.substr(0, kTest * 3073));
  }
  if (kind == "image_folder") {
    for (int i = 0; i < kTrain; ++i) {
      const auto name = fs::path(i % 2 == 0 ? "ant" : "bee") / (std::to_string(100 + i) + ".png");
      write_png(folder / "train" / name, 4, 5, static_cast<unsigned char>(i));
      if (i < kTest) write_png(folder / "val" / name, 4, 5, static_cast<unsigned char>(i));
    }
  }
  if (kind == "tfrecord") {
    write_samples("image_folder", folder);
    const auto classes = images::class_names_of_tree(folder);
    for (const std::string split : {"train", "val"}) {
      images::pack_tfrecords(folder / split, classes, folder, images::tfrecord_split(split), 0,
                             {.replaces = true}, {.progress = [](std::int64_t, std::int64_t) {}});
    }
  }
  if (kind == "text_ag_news") {
    write_lines(folder, "train.csv", "test.csv", [](int i) {
      return fmt::format("\"{}\",\"{}\",\"the {}\"", 1 + i % 4, word(i), word(i + 1));
    });
  }
  if (kind == "text_sst") {
    write_lines(folder, "stsa.binary.train", "stsa.binary.test",
                [](int i) { return fmt::format("{} {} is {}", i % 2, word(i), word(i / 2)); });
  }
  if (kind == "text_trec") {
    write_lines(folder, "TREC.train", "TREC.test", [](int i) {
      return fmt::format("{} {} ?", i % 2 == 0 ? "NUM:date when" : "LOC:city where", word(i));
    });
  }
  if (kind == "text_multi30k") {
    for (const char* language : {".en", ".de"}) {
      write_lines(folder, "train"s + language, "test_2016_flickr"s + language, [&](int i) {
        const std::string second = i % 3 == 0 ? fmt::format(" {}{}", word(i / 3), language) : "";
        return fmt::format("{}{}{}", word(i), language, second);
      });
    }
  }
}

}  // namespace dlscale::test
