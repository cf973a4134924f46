#include "layout.hpp"

#include <algorithm>
#include <map>

namespace contract {
namespace {

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

using Extents = std::map<char, std::uint64_t>;
using Strides = std::map<char, std::uint64_t>;

Status take_extents(const std::string& letters, const TensorShape& tensor, const char* which, Extents& extents) {
  const apps::Shape& shape = tensor.shape;
  if (shape.size() != letters.size()) {
    return {Code::invalid_argument, std::string("the ") + which + " operand has " + std::to_string(shape.size()) +
                                        " dimensions, " + apps::text_of(shape) + ", and '" + letters + "' names " +
                                        std::to_string(letters.size())};
  }
  if (!apps::elements_of(shape)) {
    return {Code::invalid_argument, std::string("the ") + which + " operand would have a shape of " +
                                        apps::text_of(shape) + ", more than there can be"};
  }
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto [known, added] = extents.try_emplace(letters[i], shape[i]);
    if (added || known->second == shape[i]) continue;
    return {Code::invalid_argument, std::string("the index '") + letters[i] + "' disagrees: it is " +
                                        std::to_string(known->second) + " and, in the " + which + " operand of shape " +
                                        apps::text_of(shape) + ", " + std::to_string(shape[i])};
  }
  return {};
}

// Rows, columns and what is summed over are counted as one number each, and multiplied; also where another extent is 0.
Status check_product(const std::string& letters, const Extents& extents) {
  apps::Shape shape;
  for (const char letter : letters) shape.push_back(std::max<std::uint64_t>(extents.at(letter), 1));
  if (apps::elements_of(shape)) return {};
  return {Code::invalid_argument,
          "the indices '" + letters + "' have " + apps::text_of(shape) + " values, together more than there can be"};
}

// An index that stands twice walks along the diagonal: strides add up.
Strides strides_of(const std::string& letters, const TensorShape& tensor) {
  Strides strides;
  std::uint64_t stride = 1;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::size_t at = tensor.column_major ? i : letters.size() - 1 - i;
    strides[letters[at]] += stride;
    stride *= tensor.shape[at];
  }
  return strides;
}

Axes axes_of(const std::string& letters, const Extents& extents, const Strides& strides) {
  std::vector<Axis> axes;
  for (const char letter : letters) {
    const auto stride = strides.find(letter);
    axes.push_back({extents.at(letter), stride == strides.end() ? 0 : stride->second});
  }
  return Axes(std::move(axes));
}

}  // namespace

Axes::Axes(std::vector<Axis> axes) : axes_(std::move(axes)) {
  for (const Axis& axis : axes_) extent_ *= axis.extent;
}

std::uint64_t Axes::place(std::uint64_t at) const {
  std::uint64_t place = 0;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    place += at % axes_[i].extent * axes_[i].stride;
    at /= axes_[i].extent;
  }
  return place;
}

std::vector<std::uint64_t> Axes::places(std::uint64_t first, std::uint64_t count) const {
  std::vector<std::uint64_t> places(count);
  const Axis last = axes_.empty() ? Axis() : axes_.back();
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t begin = first + done;
    const std::uint64_t run = std::min(count - done, last.extent - begin % last.extent);
    const std::uint64_t start = place(begin);
    for (std::uint64_t i = 0; i < run; ++i) places[done + i] = start + i * last.stride;
    done += run;
  }
  return places;
}

Result<Layout> lay_out(const Notation& notation, const TensorShape& first, const TensorShape& second) {
  Extents extents;
  Status status = take_extents(notation.first, first, "first", extents);
  if (status.ok()) status = take_extents(notation.second, second, "second", extents);
  if (!status.ok()) return status;
  std::string batch, rows, columns, inner;
  for (const char letter : notation.result) {
    const bool in_first = has(notation.first, letter), in_second = has(notation.second, letter);
    (in_first && in_second ? batch : in_first ? rows : columns) += letter;
  }
  // In the order of the first operand, which is then read along its rows.
  for (const char letter : notation.first + notation.second)
    if (!has(notation.result, letter) && !has(inner, letter)) inner += letter;
  Layout layout;
  for (const char letter : notation.result) layout.result.push_back(extents.at(letter));
  if (!apps::elements_of(layout.result)) {
    return Status(Code::invalid_argument,
                  "the result would have a shape of " + apps::text_of(layout.result) + ", more than there can be");
  }
  for (const std::string& letters : {batch + rows + inner, batch + inner + columns, batch + rows + columns}) {
    status = check_product(letters, extents);
    if (!status.ok()) return status;
  }
  const Strides of_first = strides_of(notation.first, first), of_second = strides_of(notation.second, second);
  const Strides of_result = strides_of(notation.result, {layout.result, false});
  const auto axes = [&](const std::string& letters, const Strides& strides) {
    return axes_of(letters, extents, strides);
  };
  layout.first = {axes(batch, of_first), axes(rows, of_first), axes(inner, of_first)};
  layout.second = {axes(batch, of_second), axes(inner, of_second), axes(columns, of_second)};
  layout.out = {axes(batch, of_result), axes(rows, of_result), axes(columns, of_result)};
  return layout;
}

}  // namespace contract
