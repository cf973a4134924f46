#include "trace/format/file.hpp"

#include <algorithm>

namespace polder::trace {

std::string file_path(std::string_view directory, Rank rank) {
  std::string number = std::to_string(rank);
  number.insert(0, std::max<std::size_t>(number.size(), 6) - number.size(), '0');
  return std::string(directory) + "/rank-" + number + std::string(kFileSuffix);
}

}  // namespace polder::trace
