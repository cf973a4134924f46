#include "field.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace fft {
namespace {

// The finalizer of splitmix64.
std::uint64_t scramble(std::uint64_t word) {
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
  word = (word ^ word >> 27) * 0x94d049bb133111eb;
  return word ^ word >> 31;
}

double unit(std::uint64_t seed, std::uint64_t index) {
  return double(std::int64_t(scramble(seed * 0x9e3779b97f4a7c15 + index) >> 11)) * 0x1p-52 - 1;
}

template <class T>
T element(const std::byte* data, std::uint64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof value, sizeof value);
  return value;
}

Status no_extent(const std::string& what, const Extents& extents) {
  for (const std::uint64_t extent : extents)
    if (extent == 0) return {Code::invalid_size, what + " has nothing in it: " + text_of(extents)};
  if (!elements_of(extents))
    return {Code::invalid_size, what + " of " + text_of(extents) + " is more than there can be"};
  return {};
}

}  // namespace

std::optional<std::uint64_t> elements_of(const Extents& extents) {
  return apps::elements_of(apps::Shape(extents.begin(), extents.end()));
}

std::string text_of(const Extents& extents) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " + std::to_string(extents[2]);
}

Result<Field> Field::open(const std::string& path) {
  auto file = apps::MappedFile::open(path);
  if (!file.ok()) return file.status();
  const auto head = apps::read_npy_head(path, file->bytes());
  if (!head.ok()) return head.status();
  const auto refuse = [&](const std::string& why) { return Status(Code::invalid_argument, "'" + path + "' " + why); };
  if (head->shape.size() != 3) return refuse("has the shape " + apps::text_of(head->shape) + ", not three extents");
  if (head->column_major) return refuse("is in column-major order; save numpy.ascontiguousarray() of it");
  Field field;
  field.extents_ = {head->shape[0], head->shape[1], head->shape[2]};
  if (Status status = no_extent("'" + path + "'", field.extents_); !status.ok()) return status;
  field.path_ = path;
  field.number_ = head->number;
  field.data_at_ = head->data_at;
  field.file_.emplace(*std::move(file));
  return field;
}

Result<Field> Field::open_raw(const std::string& path, const Extents& extents) {
  auto file = apps::MappedFile::open(path);
  if (!file.ok()) return file.status();
  if (Status status = no_extent("'" + path + "'", extents); !status.ok()) return status;
  const std::uint64_t wanted = *elements_of(extents) * sizeof(Complex);
  if (file->bytes().size() != wanted)
    return Status(Code::invalid_argument, "'" + path + "' has " + std::to_string(file->bytes().size()) +
                                              " bytes, and " + text_of(extents) + " complex numbers take " +
                                              std::to_string(wanted));
  Field field;
  field.extents_ = extents;
  field.path_ = path;
  field.file_.emplace(*std::move(file));
  return field;
}

Field Field::made_up(const Extents& extents, std::uint64_t seed) {
  Field field;
  field.extents_ = extents;
  field.seed_ = seed;
  return field;
}

Complex Field::at(std::uint64_t index) const {
  if (!file_) return {unit(seed_, 2 * index), unit(seed_, 2 * index + 1)};
  const std::byte* const data = file_->bytes().data() + data_at_;
  switch (number_) {
    case apps::Number::float32: return element<float>(data, index);
    case apps::Number::float64: return element<double>(data, index);
    case apps::Number::int32: return element<std::int32_t>(data, index);
    case apps::Number::complex64: return Complex(element<std::complex<float>>(data, index));
    default: return element<Complex>(data, index);
  }
}

Status Field::read(const Share& share, Complex* into) const {
  const std::uint64_t x0 = share.x.begin(share.row), y0 = share.y.begin(share.column), z = extents_[2];
  for (std::uint64_t i = 0; i < share.own_x(); ++i)
    for (std::uint64_t j = 0; j < share.own_y(); ++j) {
      const std::uint64_t begin = ((x0 + i) * extents_[1] + y0 + j) * z;
      Complex* const line = into + share.line_at_first(i, j);
      for (std::uint64_t k = 0; k < z; ++k) {
        line[k] = at(begin + k);
        if (!std::isfinite(line[k].real()) || !std::isfinite(line[k].imag()))
          return {Code::invalid_argument, "'" + path_ + "': element (" + std::to_string(x0 + i) + ", " +
                                              std::to_string(y0 + j) + ", " + std::to_string(k) +
                                              ") is infinite or not a number"};
      }
    }
  return {};
}

}  // namespace fft
