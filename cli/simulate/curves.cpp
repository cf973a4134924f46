#include "simulate/curves.hpp"

#include "quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

namespace polder::cli {
namespace {

constexpr double kWidth = 900, kHeight = 520, kLeft = 80, kRight = 240, kTop = 50, kBottom = 60;
// Okabe and Ito's, which colour-blind people tell apart.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

struct Axis {
  double low, high;  // logarithms
  double from, to;   // places
  double place(double value) const { return from + (std::log10(value) - low) / (high - low) * (to - from); }
};

Axis axis_of(double least, double most, double from, double to) {
  double low = std::log10(least), high = std::log10(most);
  if (high - low < 0.3) low -= 0.15, high += 0.15;
  return {low, high, from, to};
}

std::string label_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, text);
}

std::string line_from(double x1, double y1, double x2, double y2) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ccc\"/>\n", x1, y1, x2,
                     y2);
}

}  // namespace

void Curves::add(const std::string& curve, std::size_t ranks, std::size_t bytes, double us) {
  auto at = std::find_if(curves_.begin(), curves_.end(), [&](const Curve& each) { return each.name == curve; });
  const std::string name = by_ranks_ && curve == fmt::format("{} ranks", ranks) ? "chosen" : curve;
  if (name != curve) at = std::find_if(curves_.begin(), curves_.end(), [&](const Curve& c) { return c.name == name; });
  if (at == curves_.end()) at = curves_.insert(curves_.end(), {name, {}});
  at->points.emplace_back(std::max(1.0, double(by_ranks_ ? ranks : bytes)), std::max(us, 1e-3));
}

std::string Curves::svg() const {
  double left = INFINITY, right = 0, low = INFINITY, high = 0;
  for (const Curve& curve : curves_)
    for (const auto& [x, y] : curve.points) {
      left = std::min(left, x), right = std::max(right, x);
      low = std::min(low, y), high = std::max(high, y);
    }
  const Axis across = axis_of(left, right, kLeft, kWidth - kRight);
  const Axis up = axis_of(low, high, kHeight - kBottom, kTop);
  std::string all = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  all += label_at(kLeft, 28, "start", title_ + ", time in us");
  for (int power = int(std::ceil(up.low)); power <= int(std::floor(up.high)); ++power) {
    const double y = up.place(std::pow(10, power));
    all += line_from(kLeft, y, kWidth - kRight, y) +
           label_at(kLeft - 8, y + 4, "end", fmt::format("{:g}", std::pow(10, power)));
  }
  for (int power = 0; power <= 40; power += 2) {
    const double value = std::ldexp(1, power);
    if (value < left * 0.999 || value > right * 1.001) continue;
    const double x = across.place(value);
    all += line_from(x, kTop, x, kHeight - kBottom) +
           label_at(x, kHeight - kBottom + 18, "middle",
                    by_ranks_ ? fmt::format("{:.0f}", value) : print_bytes(std::size_t(value)));
  }
  all += label_at((kLeft + kWidth - kRight) / 2, kHeight - 16, "middle", by_ranks_ ? "ranks" : "bytes");
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const char* const colour = kColours[i % std::size(kColours)];
    std::string points;
    for (const auto& [x, y] : curves_[i].points) points += fmt::format("{:.1f},{:.1f} ", across.place(x), up.place(y));
    all += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n", points,
        colour, i < std::size(kColours) ? "none" : "6 3");
    all += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", kWidth - kRight + 16,
                       kTop + 20 * double(i) - 6, colour);
    all += label_at(kWidth - kRight + 38, kTop + 20 * double(i), "start", curves_[i].name);
  }
  return all + "</svg>\n";
}

Status Curves::write(const std::string& path) const {
  std::ofstream file(path);
  file << svg();
  file.close();
  if (file) return {};
  return {Code::system, path + " cannot be written: " + std::strerror(errno)};
}

}  // namespace polder::cli
