// Any bytes as a text of ratings: refused with a place, or each rating found once, however many ranks share the file.
#include "memory_file.hpp"
#include "rating_lines.hpp"

#include <cmath>
#include <cstring>
#include <string_view>

namespace {

std::vector<mf::Rating> read(const apps::File& file, mf::Format format, std::uint64_t size, unsigned ranks,
                             bool& wrong) {
  std::vector<mf::Rating> all;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    mf::RatingLines lines(file, format, true, size * rank / ranks, size * (rank + 1) / ranks, size);
    if (!lines.run().ok()) std::abort();
    if (!lines.last().wrong.empty() && lines.last().column == 0) std::abort();
    wrong = wrong || !lines.last().wrong.empty();
    all.insert(all.end(), lines.ratings.begin(), lines.ratings.end());
  }
  return all;
}

bool same(const mf::Rating& one, const mf::Rating& other) {
  return one.user == other.user && one.item == other.item && one.value == other.value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto format = mf::format_of(text.substr(0, text.find('\n')));
  if (!format.ok()) return 0;
  const MemoryFile memory(data, size);
  const auto file = apps::File::open(memory.path());
  if (!file.ok()) std::abort();
  bool wrong = false, wrong_in_parts = false;
  const auto whole = read(*file, *format, size, 1, wrong);
  const auto parts = read(*file, *format, size, 3, wrong_in_parts);
  if (wrong != wrong_in_parts) std::abort();
  if (wrong) return 0;
  if (whole.size() != parts.size()) std::abort();
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (!same(whole[i], parts[i]) || !std::isfinite(whole[i].value)) std::abort();
  return 0;
}
