#include "matrix_file.hpp"

#include <fstream>
#include <iterator>

namespace polder::cli {

Result<std::string> whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) return Status(Code::invalid_argument, "cannot read " + path);
  return text;
}

Result<CommunicationPattern> read_matrix_file(const std::string& path) {
  const auto text = whole_file(path);
  if (!text.ok()) return text.status();
  auto pattern = matrix_pattern(*text);
  if (!pattern.ok()) return Status(pattern.status().code(), path + ": " + std::string(pattern.status().message()));
  return pattern;
}

}  // namespace polder::cli
