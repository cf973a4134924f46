#include "coll/port/pieces.hpp"

#include "util/copy.hpp"

namespace polder::coll {

Pieces::Pieces(void* buffer, std::span<const StridedPart> pieces) : buffer_(static_cast<std::byte*>(buffer)) {
  std::size_t end = 0;
  for (const StridedPart& piece : pieces) {
    if (piece.blocks * piece.size == 0) continue;
    pieces_.push_back(piece);
    ends_.push_back(end += piece.blocks * piece.size);
  }
}

void Pieces::read(std::size_t at, std::byte* into, std::size_t bytes) const {
  each_run(at, bytes, [&into](const std::byte* place, std::size_t run) {
    util::copy(into, place, run);
    into += run;
    return true;
  });
}

void Pieces::write(std::size_t at, const std::byte* from, std::size_t bytes) const {
  each_run(at, bytes, [&from](std::byte* place, std::size_t run) {
    util::copy(place, from, run);
    from += run;
    return true;
  });
}

std::byte* Pieces::one_run(std::size_t at, std::size_t bytes) const {
  std::byte *first = nullptr, *end = nullptr;
  each_run(at, bytes, [&](std::byte* place, std::size_t run) {
    const bool follows = first == nullptr || place == end;
    if (first == nullptr) first = place;
    if (!follows) first = nullptr;
    end = place + run;
    return follows;
  });
  return first;
}

std::vector<std::span<std::byte>> Pieces::runs(std::size_t at, std::size_t bytes, std::size_t most) const {
  std::vector<std::span<std::byte>> all;
  each_run(at, bytes, [&](std::byte* place, std::size_t run) {
    const bool follows = !all.empty() && all.back().data() + all.back().size() == place;
    if (follows)
      all.back() = {all.back().data(), all.back().size() + run};
    else
      all.emplace_back(place, run);
    return all.size() <= most;
  });
  if (all.size() > most) all.clear();
  return all;
}

}  // namespace polder::coll
