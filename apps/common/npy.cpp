#include "common/npy.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <string_view>

namespace apps {
namespace {

struct Known {
  Number number;
  const char* name;
  std::size_t bytes;
};
constexpr std::array<Known, 5> kKnown{{{Number::float32, "<f4", 4},
                                       {Number::float64, "<f8", 8},
                                       {Number::complex64, "<c8", 8},
                                       {Number::complex128, "<c16", 16},
                                       {Number::int32, "<i4", 4}}};
constexpr std::string_view kMagic = "\x93NUMPY";

std::optional<Number> number_of(std::string_view name) {
  for (const Known& known : kKnown)
    if (name == known.name) return known.number;
  return std::nullopt;
}

// What follows `'key':` in the head, a Python dictionary, without leading spaces.
std::optional<std::string_view> value_of(std::string_view text, const std::string& key) {
  const std::size_t at = text.find("'" + key + "'");
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size() + 2);
  const std::size_t value = text.find_first_not_of(" :");
  if (value == std::string_view::npos) return std::nullopt;
  return text.substr(value);
}

std::optional<std::string_view> quoted(std::optional<std::string_view> text) {
  if (!text || !text->starts_with('\'')) return std::nullopt;
  const std::size_t end = text->find('\'', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return text->substr(1, end - 1);
}

std::optional<Shape> tuple(std::optional<std::string_view> text) {
  if (!text || !text->starts_with('(')) return std::nullopt;
  Shape shape;
  const char *at = text->data() + 1, *const end = text->data() + text->size();
  for (;;) {
    while (at != end && (*at == ' ' || *at == ',')) ++at;
    if (at == end) return std::nullopt;
    if (*at == ')') return shape;
    std::uint64_t extent = 0;
    const auto [after, error] = std::from_chars(at, end, extent);
    if (error != std::errc()) return std::nullopt;
    shape.push_back(extent);
    at = after;
  }
}

// The dictionary's text and where elements begin; nothing: this is no such file.
std::optional<std::pair<std::string_view, std::uint64_t>> dictionary(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) return std::nullopt;
  const unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) return std::nullopt;
  const std::size_t width = version == 1 ? 2 : 4, start = 8 + width;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < width; ++i) length |= std::uint64_t(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  if (bytes.size() < start + length) return std::nullopt;
  return std::pair(bytes.substr(start, length), start + length);
}

}  // namespace

std::size_t bytes_of(Number number) {
  return kKnown[std::size_t(number)].bytes;
}

std::string name_of(Number number) {
  return kKnown[std::size_t(number)].name;
}

std::optional<std::uint64_t> elements_of(const Shape& shape) {
  std::uint64_t elements = 1;
  bool too_many = false;
  for (const std::uint64_t extent : shape) {
    if (extent == 0) return 0;
    too_many |= __builtin_mul_overflow(elements, extent, &elements);
  }
  if (too_many || elements >> 58 != 0) return std::nullopt;
  return elements;
}

std::string text_of(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Result<NpyHead> read_npy_head(const std::string& path, std::span<const std::byte> bytes) {
  const auto refuse = [&](const std::string& why) { return Status(Code::invalid_argument, "'" + path + "' " + why); };
  const auto found = dictionary({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!found) return refuse("is no .npy file, or ends within its head");
  const auto name = quoted(value_of(found->first, "descr"));
  const auto order = value_of(found->first, "fortran_order");
  auto shape = tuple(value_of(found->first, "shape"));
  if (!order || !shape) return refuse("has a head that is no .npy head");
  const auto number = name ? number_of(*name) : std::nullopt;
  if (!number) {
    return refuse("has elements of type " + (name ? "'" + std::string(*name) + "'" : "that has several fields") +
                  "; float32, float64, complex64, complex128 and int32, little-endian, are known");
  }
  const auto elements = elements_of(*shape);
  if (!elements) return refuse("is said to have a shape of " + text_of(*shape) + ", more than there can be");
  const std::uint64_t wanted = found->second + *elements * bytes_of(*number);
  if (bytes.size() < wanted) {
    return refuse("is truncated: " + text_of(*shape) + " of " + name_of(*number) + " takes " + std::to_string(wanted) +
                  " bytes, and it has " + std::to_string(bytes.size()));
  }
  return NpyHead{*number, order->starts_with("True"), *std::move(shape), found->second};
}

std::string npy_head(Number number, const Shape& shape) {
  std::string text = "{'descr': '" + name_of(number) + "', 'fortran_order': False, 'shape': " + text_of(shape) + ", }";
  constexpr std::size_t kBefore = 10;  // magic, version, length
  text.append((64 - (kBefore + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string head(kMagic);
  head += {'\1', '\0', char(text.size() & 0xff), char(text.size() >> 8)};
  return head + text;
}

}  // namespace apps
