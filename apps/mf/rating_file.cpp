#include "rating_file.hpp"

#include <algorithm>
#include <span>

namespace mf {
namespace {

// Enough for the first line of any of the formats.
Result<std::string> beginning_of(const apps::File& file, std::uint64_t size) {
  std::string text(std::min<std::uint64_t>(size, 4096), '\0');
  Status status = file.read_at(0, std::as_writable_bytes(std::span(text)));
  if (!status.ok()) return status;
  return text.substr(0, text.find('\n'));
}

Result<Format> find_format(const apps::File& file, std::uint64_t size) {
  if (size == 0) return Status(Code::invalid_argument, "'" + file.path() + "' is empty");
  const Result<std::string> line = beginning_of(file, size);
  if (!line.ok()) return line.status();
  Result<Format> format = format_of(*line);
  if (format.ok()) return format;
  return Status(Code::invalid_argument, "'" + file.path() + "', " + std::string(format.status().message()));
}

}  // namespace

Result<std::vector<Rating>> read_ratings(const apps::Team& team, const std::string& path, bool wants_value) {
  const Result<apps::File> file = apps::File::open(path);
  Status status = team.agree(file.status());
  if (!status.ok()) return status;
  const Result<std::uint64_t> size = file->size();
  status = team.agree(size.status());
  if (!status.ok()) return status;
  const Result<Format> format = find_format(*file, *size);
  status = team.agree(format.status());
  if (!status.ok()) return status;

  const auto place = [&](unsigned rank) {
    return *size / team.size() * rank + *size % team.size() * rank / team.size();
  };
  RatingLines reader(*file, *format, wants_value, place(team.rank()), place(team.rank() + 1), *size);
  status = team.agree(reader.run());
  if (!status.ok()) return status;
  const Result<std::vector<std::uint64_t>> lines = team.allgather(reader.lines);
  if (!lines.ok()) return lines.status();
  if (const ParsedLine& last = reader.last(); !last.wrong.empty()) {
    std::uint64_t number = reader.lines;
    for (unsigned rank = 0; rank < team.rank(); ++rank) number += (*lines)[rank];
    status = Status(Code::invalid_argument, "'" + path + "', line " + std::to_string(number) + ", column " +
                                                std::to_string(last.column) + ": the line " + last.wrong);
  }
  status = team.agree(status);
  if (!status.ok()) return status;
  return std::move(reader.ratings);
}

}  // namespace mf
