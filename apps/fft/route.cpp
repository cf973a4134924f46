#include "route.hpp"

#include <algorithm>

namespace fft {

void copy(const Rows& rows, const Complex* from, Complex* to) {
  for (std::uint64_t row = 0; row < rows.count; ++row)
    std::copy_n(from + rows.from + row * rows.from_pitch, rows.length, to + rows.to + row * rows.to_pitch);
}

PlaneRange Route::planes(unsigned member, unsigned piece) const {
  const Split cut{share_.x.count(in_row_ ? share_.row : member), pieces_};
  return {cut.begin(piece), cut.count(piece)};
}

Rows Route::rows(unsigned from, unsigned to, std::uint64_t plane) const {
  if (in_row_) {
    const std::uint64_t y = share_.extents[1];
    const std::uint64_t count = share_.y.count(from), pitch = pitch_of(share_.extents[2]);
    const std::uint64_t to_pitch = pitch_of(share_.z.count(to));
    return {.from = share_.z.begin(to),
            .from_pitch = pitch,
            .to = plane * plane_of(y, share_.z.count(to)) + share_.y.begin(from) * to_pitch,
            .to_pitch = to_pitch,
            .length = share_.z.count(to),
            .count = count};
  }
  const std::uint64_t pitch = pitch_of(share_.own_z());
  return {.from = share_.y_of_result.begin(to) * pitch,
          .from_pitch = pitch,
          .to = (share_.x.begin(from) + plane) * pitch,
          .to_pitch = share_.plane_of_result(),
          .length = share_.own_z(),
          .count = share_.y_of_result.count(to)};
}

}  // namespace fft
