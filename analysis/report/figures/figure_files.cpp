// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/figure_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/process.hpp>

#include "analysis/report/csv_text.hpp"
#include "analysis/report/figures/svg_figure.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::analysis {
namespace bp = boost::process;
namespace fs = std::filesystem;
namespace {

std::string stacked_csv(const Figure& figure) {
  std::vector<std::string> header{figure.x.id};
  for (const Series& part : figure.series) header.push_back(part.label + "_" + figure.y.id);
  std::string text = csv_line(header);
  for (std::size_t i = 0; i < figure.categories.size(); ++i) {
    std::vector<std::string> line{figure.categories[i]};
    for (const Series& part : figure.series) line.push_back(csv_number(part.points[i].y));
    text += csv_line(line);
  }
  return text;
}

std::string lines_csv(const Figure& figure) {
  std::vector<std::string> header{"series", figure.x.id, figure.y.id, "low", "high"};
  const bool boxes = has_boxes(figure);
  if (boxes) header.insert(header.end(), {"box_low", "box_high"});
  if (!figure.note_id.empty()) header.push_back(figure.note_id);
  std::string text = csv_line(header);
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      std::vector<std::string> line{series.label, x_text(figure.x, point.x, &csv_number),
                                    csv_number(point.y),
                                    point.bounds ? csv_number(point.bounds->low) : "",
                                    point.bounds ? csv_number(point.bounds->high) : ""};
      if (boxes) {
        line.push_back(point.box ? csv_number(point.box->low) : "");
        line.push_back(point.box ? csv_number(point.box->high) : "");
      }
      if (!figure.note_id.empty()) line.push_back(point.note);
      text += csv_line(line);
    }
  }
  return text;
}

/// Temporary file in the folder of the images. The destructor deletes the file if it still exists.
class Draft {
 public:
  explicit Draft(fs::path path) : path_(std::move(path)) {}
  ~Draft() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs the converter to make the image file `picture` in the given format from the file `svg`.
/// Returns an empty text on success, and the problem otherwise.
std::string convert(const std::string& converter, const fs::path& svg, const fs::path& picture,
                    const std::string& format) {
  const auto program = bp::search_path(converter);
  if (program.empty()) {
    return fmt::format(
        "{} is not installed: install it (Debian package librsvg2-bin), or choose .svg", converter);
  }
  std::vector<std::string> arguments{"--format", format, "--output", fs::absolute(picture)};
  // Twice the number of pixels, so that the image is sharp on any screen.
  if (format == "png") arguments.insert(arguments.end(), {"--zoom", "2"});
  arguments.push_back(fs::absolute(svg));
  bp::ipstream messages;
  std::error_code failure;
  bp::environment environment = boost::this_process::environment();
  // PDF files contain the current date, which would change their bytes.
  environment["SOURCE_DATE_EPOCH"] = "0";
  bp::child child(program, bp::args(arguments), environment,
                  bp::std_in<bp::null, bp::std_out> bp::null, bp::std_err > messages, failure);
  if (failure) return fmt::format("cannot start {}: {}", converter, failure.message());
  std::string first, line;
  while (std::getline(messages, line)) {
    if (first.empty()) first = line;
  }
  child.wait();
  if (child.exit_code() == 0 && fs::exists(picture)) return "";
  return fmt::format("{} did not write the {} file: {}", converter, format,
                     first.empty() ? "no error message" : first);
}

}  // namespace

std::string figure_csv(const Figure& figure) {
  std::string text = csv_comment(figure.title) + csv_comment(figure.subtitle);
  for (const std::string& note : figure.notes) text += csv_comment(note);
  return text + (figure.categories.empty() ? lines_csv(figure) : stacked_csv(figure));
}

const std::vector<std::string>& figure_formats() {
  static const std::vector<std::string> formats{"svg", "pdf", "png"};
  return formats;
}

Drawn write_figure(const Figure& figure, const fs::path& stem,
                   const std::vector<std::string>& formats, const std::string& converter) {
  const std::string name = stem.filename().string();
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  base::make_directories(folder);
  const auto draft = [&](const std::string& ending) {
    return folder / fmt::format(".{}-{}.{}", name, getpid(), ending);
  };
  Drawn drawn{{folder / (name + ".csv")}, ""};
  base::write_file_if_changed(drawn.files[0], figure_csv(figure));
  const std::string svg = svg_file(figure, name);
  const Draft source(draft("svg"));
  for (const std::string& format : formats) {
    const fs::path file = folder / (name + "." + format);
    if (format == "svg") {
      base::write_file_if_changed(file, svg);
    } else {
      base::write_file_atomically(source.path(), svg);
      const Draft picture(draft(format));
      const std::string problem = convert(converter, source.path(), picture.path(), format);
      if (!problem.empty()) {
        drawn.problem = problem;
        continue;
      }
      std::error_code error;
      fs::rename(picture.path(), file, error);
      if (error) throw base::RunError(file.string() + ": " + error.message());
    }
    drawn.files.push_back(file);
  }
  return drawn;
}

}  // namespace dlscale::analysis
