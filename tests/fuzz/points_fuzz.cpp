// Any bytes as a file of points, in each layout: refused with a sentence, or the same points for one rank and for three.
//
//   input: | layout, 1 byte | coordinates of a raw file, 1 byte | the file |
#include "memory_file.hpp"
#include "point_source.hpp"

#include <cmath>
#include <vector>

namespace {

bool read(const kmeans::PointSource& source, unsigned ranks, std::vector<double>& numbers) {
  for (unsigned rank = 0; rank < ranks; ++rank) {
    const auto points = source.read(rank, ranks);
    if (!points.ok()) {
      if (points.status().code() != polder::Code::invalid_argument || points.status().message().empty()) std::abort();
      return false;
    }
    if (points->dims() != source.dims()) std::abort();
    for (std::size_t i = 0; i < points->size(); ++i)
      for (std::size_t d = 0; d < points->dims(); ++d) numbers.push_back(points->at(i, d));
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const MemoryFile memory(data + 2, size - 2);
  kmeans::SourceOptions options;
  options.path = memory.path();
  options.layout = kmeans::Layout(1 + data[0] % 3);
  options.raw_single = data[0] >= 128;
  options.raw_dims = data[1];
  const auto source = kmeans::PointSource::open(options);
  if (!source.ok()) {
    if (source.status().message().empty()) std::abort();
    return 0;
  }
  if (source->size_at_most() > size || source->dims() > size) return 0;  // of no points, each of many coordinates
  std::vector<double> whole, parts;
  if (read(*source, 1, whole) != read(*source, 3, parts)) std::abort();
  for (const double number : whole)
    if (!std::isfinite(number)) std::abort();
  if (parts.size() == whole.size() && parts != whole) std::abort();
  return 0;
}
