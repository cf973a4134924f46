// Any dataset that the library writes, as the input describes it, read for a container: refused with a Failure that names it, or its
// extents and its elements. Damaged files are not tried: what takes them apart is libhdf5, which is known to fall over some.
#include <polder/containers/hdf5.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using namespace polder::containers;

constexpr const char* kName = "state/a";
constexpr std::size_t kMostDimensions = 4;

void require(bool holds) {
  if (!holds) std::abort();
}

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  // Below `end`; 0 when there is no more.
  unsigned below(unsigned end) {
    if (left_ == 0) return 0;
    --left_;
    return *data_++ % end;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// What the library returned, closed at the end; negative: it made none of that.
struct Made {
  Made(hid_t made, herr_t (*how)(hid_t)) : id(made), close(how) {}
  ~Made() {
    if (id >= 0) close(id);
  }
  Made(const Made&) = delete;
  const hid_t id;
  herr_t (*const close)(hid_t);
};

// A type of elements, a copy; those below kNumbers are numbers.
constexpr unsigned kNumbers = 10;
hid_t make_type(Input& input) {
  const unsigned kind = input.below(kNumbers + 7);
  const unsigned change = input.below(8);
  if (kind < kNumbers) {
    const hid_t types[kNumbers] = {H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I16BE, H5T_STD_U16LE,  H5T_STD_I32BE,
                                   H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64BE, H5T_IEEE_F32BE, H5T_IEEE_F64LE};
    const hid_t type = H5Tcopy(types[kind]);
    // Numbers with fewer bits than their bytes have.
    if (kind < 8 && change != 0) H5Tset_precision(type, std::max<std::size_t>(8, 8 * H5Tget_size(type) - change));
    return type;
  }
  switch (kind - kNumbers) {
    case 0: {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, change == 0 ? H5T_VARIABLE : change);
      return type;
    }
    case 1: {
      const hid_t type = H5Tcreate(H5T_COMPOUND, 12);
      H5Tinsert(type, "x", 0, H5T_STD_I32LE);
      H5Tinsert(type, "y", 4, H5T_IEEE_F64LE);
      return type;
    }
    case 2: {
      const hid_t type = H5Tenum_create(H5T_NATIVE_INT);
      const int value = int(change);
      H5Tenum_insert(type, "value", &value);
      return type;
    }
    case 3: return H5Tcreate(H5T_OPAQUE, 1 + change);
    case 4: return H5Tcopy(H5T_STD_B16LE);
    case 5: return H5Tvlen_create(H5T_NATIVE_INT);
    default: {
      const hsize_t size = 1 + change;
      return H5Tarray_create2(H5T_NATIVE_INT, 1, &size);
    }
  }
}

struct Written {
  std::vector<hsize_t> sizes;  // of a dataset of numbers
};

hid_t make_space(Input& input, std::vector<hsize_t>& sizes) {
  const unsigned kind = input.below(kMostDimensions + 2);
  if (kind == 0) return H5Screate(H5S_SCALAR);
  if (kind > kMostDimensions) return H5Screate(H5S_NULL);
  for (unsigned d = 0; d < kind; ++d) sizes.push_back(input.below(7));
  return H5Screate_simple(int(kind), sizes.data(), nullptr);
}

void set_layout(Input& input, hid_t list, std::size_t dimensions) {
  const unsigned kind = input.below(6);
  if (kind == 0) return;
  if (kind == 1) {
    H5Pset_layout(list, H5D_COMPACT);
    return;
  }
  std::array<hsize_t, kMostDimensions> chunk{};
  for (hsize_t& size : chunk) size = 1 + input.below(4);
  if (dimensions != 0) H5Pset_chunk(list, int(dimensions), chunk.data());
  if (kind == 3) H5Pset_deflate(list, 6);
  if (kind == 4) H5Pset_shuffle(list);
  if (kind == 5) H5Pset_fletcher32(list);
}

// Elements are numbered from 0 in the order of rows. Nothing: it is no dataset of numbers, or the library did not make it.
std::optional<Written> write_dataset(Input& input, hid_t file) {
  Written written;
  const Made space(make_space(input, written.sizes), H5Sclose);
  const auto ends = H5Sget_simple_extent_npoints(space.id);
  const Made type(make_type(input), H5Tclose), layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  set_layout(input, layout.id, written.sizes.size());
  const Made set(H5Dcreate2(file, kName, type.id, space.id, H5P_DEFAULT, layout.id, H5P_DEFAULT), H5Dclose);
  const H5T_class_t kind = H5Tget_class(type.id);
  if (set.id < 0 || (kind != H5T_INTEGER && kind != H5T_FLOAT)) return {};
  std::vector<std::int64_t> values(std::size_t(ends) + 1);  // of an empty one, too, there is an address
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::int64_t(i % 100);
  require(H5Dwrite(set.id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  return written;
}

std::optional<Written> write_file(Input& input, const std::string& path) {
  const Hdf5Quiet quiet;
  const Made file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  require(file.id >= 0);
  const Made group(H5Gcreate2(file.id, "state", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  switch (input.below(6)) {
    case 1: {
      const Made other(H5Gcreate2(file.id, kName, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
      return {};
    }
    case 2: {
      const Made type(H5Tcopy(H5T_NATIVE_INT), H5Tclose);
      H5Tcommit2(file.id, kName, type.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      return {};
    }
    case 3: H5Lcreate_soft("/nowhere", file.id, kName, H5P_DEFAULT, H5P_DEFAULT); return {};
    case 4: H5Lcreate_soft(kName, group.id, "a", H5P_DEFAULT, H5P_DEFAULT); return {};  // to itself
    default: return write_dataset(input, file.id);
  }
}

template <class T, std::size_t N>
void read_box(Input& input, const Hdf5Dataset& set, const Index<N>& extents) {
  IndexBox<N> box;
  bool is_inside = true;
  for (std::size_t d = 0; d < N; ++d) box.first[d] = input.below(7);
  for (std::size_t d = 0; d < N; ++d) {
    box.extents[d] = input.below(7);
    is_inside = is_inside && box.first[d] + box.extents[d] <= extents[d];
  }
  const std::size_t count = volume(box.extents);
  const std::unique_ptr<T[]> values(new T[count]);
  set.read(box, values.get());  // throws, unless it is inside or empty
  require(is_inside || count == 0);
  for (std::size_t at = 0; at < count; ++at) {
    Index<N> index = index_at(at, box.extents);
    for (std::size_t d = 0; d < N; ++d) index[d] += box.first[d];
    require(values[at] == T(position_of(index, extents) % 100));
  }
}

template <std::size_t N>
void read(Input& input, const std::string& path, const std::optional<Written>& written) {
  const Hdf5Quiet quiet;
  bool has_read = false;
  try {
    const Hdf5Dataset set(path, kName);
    const Index<N> extents = set.extents<N>();
    require(written && written->sizes.size() == N &&
            std::equal(extents.begin(), extents.end(), written->sizes.begin()));
    has_read = true;
    if (input.below(2) == 0)
      read_box<std::int16_t>(input, set, extents);
    else
      read_box<double>(input, set, extents);
  } catch (const Failure& failure) {
    require(std::string(failure.what()).find(kName) != std::string::npos);
    require(has_read || !written || written->sizes.size() != N);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  // The library makes none of a file without a name.
  static const std::string path = "/dev/shm/polder-fuzz-" + std::to_string(getpid()) + ".h5";
  const auto written = write_file(input, path);
  switch (1 + input.below(3)) {
    case 1: read<1>(input, path, written); break;
    case 2: read<2>(input, path, written); break;
    default: read<3>(input, path, written);
  }
  unlink(path.c_str());
  return 0;
}
