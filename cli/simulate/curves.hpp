// Times of collectives as curves in an SVG file: by size or by number of ranks, both axes logarithmic.
#pragma once

#include <polder/status.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace polder::cli {

class Curves {
 public:
  Curves(std::string title, bool by_ranks) : title_(std::move(title)), by_ranks_(by_ranks) {}

  void add(const std::string& curve, std::size_t ranks, std::size_t bytes, double us);
  // system: the file cannot be written.
  Status write(const std::string& path) const;

 private:
  struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points;
  };
  std::string svg() const;

  const std::string title_;
  const bool by_ranks_;
  std::vector<Curve> curves_;
};

}  // namespace polder::cli
