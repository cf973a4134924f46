// Containers in NumPy's files (.npy, version 1.0 of the format, row-major): any number of ranks may load what others saved.
//
//   save_npy(a, "a.npy");
//   Matrix<double, 2> b(team, npy_extents<2>("a.npy"));
//   load_npy("a.npy", b);
#pragma once

#include <polder/containers/for_each.hpp>
#include <polder/containers/shared_file.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace polder::containers {

// ---- the format ----

template <class T>
concept NpyElement = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;

static_assert(std::endian::native == std::endian::little, "files are written as memory has them, and say so");

template <NpyElement T>
std::string npy_type() {
  const char kind = std::same_as<T, bool> ? 'b' : std::floating_point<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return std::string(sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
}

// Magic, length and dictionary, padded to a multiple of 64 bytes.
template <NpyElement T, std::size_t N>
std::string npy_header(const Index<N>& extents) {
  std::string shape;
  for (const std::size_t extent : extents) shape += std::to_string(extent) + ", ";
  if (N > 1) shape.resize(shape.size() - 2);
  std::string text = "{'descr': '" + npy_type<T>() + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(text.size() & 0xff) + char(text.size() >> 8) + text;
}

// The dictionary of a file, and where its elements begin.
struct NpyHeader {
  std::string text;
  std::uint64_t data = 0;
};
inline NpyHeader read_npy_header(SharedFile& file) {
  unsigned char start[10];
  file.read(0, start, sizeof(start));
  if (std::string(reinterpret_cast<const char*>(start), 8) != std::string("\x93NUMPY\x01\x00", 8))
    file.fail("is no .npy file of version 1.0");
  NpyHeader header{std::string(std::size_t(start[8] | start[9] << 8), ' '), 0};
  file.read(sizeof(start), header.text.data(), header.text.size());
  header.data = sizeof(start) + header.text.size();
  return header;
}

template <std::size_t N>
Index<N> extents_of(const SharedFile& file, const NpyHeader& header) {
  const std::size_t shape = header.text.find("'shape': (");
  const std::size_t end = header.text.find(')', shape == std::string::npos ? 0 : shape);
  if (shape == std::string::npos || end == std::string::npos) file.fail("has no shape: " + header.text);
  std::vector<std::size_t> found;
  for (std::size_t at = shape + 10; at < end;) {
    const std::size_t digits = header.text.find_first_not_of("0123456789", at) - at;
    if (digits > 18) file.fail("has a shape that is none: " + header.text);
    if (digits != 0) found.push_back(std::stoull(header.text.substr(at, digits)));
    at += digits + 1;
  }
  if (found.size() != N) file.fail("has " + std::to_string(found.size()) + " dimensions, not " + std::to_string(N));
  Index<N> extents{};
  std::copy(found.begin(), found.end(), extents.begin());
  return extents;
}

// ---- saving and loading ----

// Local. Throws Failure, which names the file.
template <std::size_t N>
Index<N> npy_extents(const std::string& path) {
  SharedFile file(path, "rb");
  return extents_of<N>(file, read_npy_header(file));
}

// Collective: all meet, unit 0 makes the file, then each unit writes its elements where they belong. All units see the file
// system that it lies on. A file of that name is replaced, but not before all have come. Throws Failure at every unit, which
// names the file or the rank; after one of writing, the file is not whole.
template <class C>
requires NpyElement<typename C::value_type>
void save_npy(const C& container, const std::string& path) {
  using T = typename C::value_type;
  const Team& team = container.team();
  const std::string header = npy_header<T>(container.extents()),
                    what = "saving array '" + container.name() + "' to '" + path + "'";
  team.barrier(what);
  together(team, what, [&] {
    if (team.unit() != 0) return;
    SharedFile file(path, "wb");
    file.write(0, header.data(), header.size());
    file.finish();
  });
  together(team, what, [&] {
    SharedFile file(path, "r+b");
    for_each_span(container, [&](auto elements, const auto& index) {
      const std::size_t position = position_of(index, container.extents());
      file.write(header.size() + position * sizeof(T), elements.data(), elements.size_bytes());
    });
    file.finish();
  });
}

// Collective. The file has the container's extents and elements. Throws Failure at every unit, which names the file, and
// what differs, or the rank.
template <class C>
requires NpyElement<typename C::value_type>
void load_npy(const std::string& path, C& container) {
  using T = typename C::value_type;
  const std::string what = "loading array '" + container.name() + "' from '" + path + "'";
  together(container.team(), what, [&] {
    SharedFile file(path, "rb");
    const NpyHeader header = read_npy_header(file);
    if (const auto extents = extents_of<C::kDimensions>(file, header); extents != container.extents())
      file.fail("has extents " + to_string(extents) + ", array '" + container.name() + "' " +
                to_string(container.extents()));
    if (header.text.find("'" + npy_type<T>() + "'") == std::string::npos ||
        header.text.find("False") == std::string::npos)
      file.fail("does not hold " + npy_type<T>() + " in row-major order: " + header.text);
    for_each_span(container, [&](auto elements, const auto& index) {
      const std::size_t position = position_of(index, container.extents());
      file.read(header.data + position * sizeof(T), elements.data(), elements.size_bytes());
    });
  });
}

}  // namespace polder::containers
