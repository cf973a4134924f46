#include "matrix_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace polder::cli {

Result<std::string> whole_file(const std::string& path) {
  if (path.empty()) return Status(Code::invalid_argument, "no file is named");
  const auto wrong = [&] {
    return Status(Code::invalid_argument, "cannot read " + path + ": " + std::generic_category().message(errno));
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return wrong();
  std::string text;
  std::array<char, 1 << 16> piece;
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) text.append(piece.data(), got);
  if (std::ferror(file.get()) != 0) return wrong();  // a folder can be opened
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
