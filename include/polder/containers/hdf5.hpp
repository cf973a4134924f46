// Containers in datasets of HDF5 files: any number of ranks may load what others saved, and h5py, MATLAB, ... read it.
//
//   save_hdf5(a, "run.h5", "/state/a");
//   Matrix<double, 2> b(team, hdf5_extents<2>("run.h5", "/state/a"));
//   load_hdf5("run.h5", b, "/state/a");
//
// Needs libhdf5 1.10 or newer, which the program links (Debian: libhdf5-dev); its serial build, not that for MPI. Where
// ranks are threads of one process the library has to be built thread-safe, as Debian's is.
#pragma once

#include <polder/containers/copy.hpp>
#include <polder/containers/shared_file.hpp>

#include <hdf5.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {

// ---- the library, with Failure for its errors ----

template <class T>
concept Hdf5Element = (std::integral<T> && !std::same_as<T, bool>) || std::same_as<T, float> || std::same_as<T, double>;

template <Hdf5Element T>
hid_t hdf5_type() {
  if constexpr (std::same_as<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::same_as<T, double>) return H5T_NATIVE_DOUBLE;
  const bool is_signed = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1: return is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
    case 2: return is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
    case 4: return is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
    default: return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  }
}

// The library prints nothing in this thread while this lives: its errors become texts of ours.
class Hdf5Quiet {
 public:
  Hdf5Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Quiet() {
    H5Eclear2(H5E_DEFAULT);  // a thread that ends with errors in its list is in the way when the library ends
    H5Eset_auto2(H5E_DEFAULT, print_, data_);
  }
  Hdf5Quiet(const Hdf5Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// What the library says of its last error in this thread: the cause, not the calls around it.
inline std::string hdf5_reason() {
  std::string reason = "no reason given";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned number, const H5E_error2_t* error, void* text) -> herr_t {
        if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
        return 0;
      },
      &reason);
  return reason;
}

// An object of the library, closed with this one. Move only.
class Hdf5Handle {
 public:
  // Throws Failure: `id` is none; `what` says what was tried.
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw_failure(Code::system, what + ": " + hdf5_reason());
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  hid_t id() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline void check_hdf5(herr_t result, const std::string& what) {
  if (result < 0) throw_failure(Code::system, what + ": " + hdf5_reason());
}

template <std::size_t N>
std::array<hsize_t, N> hdf5_sizes(const Index<N>& extents) {
  std::array<hsize_t, N> sizes{};
  for (std::size_t d = 0; d < N; ++d) sizes[d] = extents[d];
  return sizes;
}

// A dataset that is there, for reading.
class Hdf5Dataset {
 public:
  Hdf5Dataset(const std::string& path, const std::string& name)
      : text_("dataset '" + name + "' of file '" + path + "'"),
        file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "file '" + path + "' cannot be opened"),
        set_(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, text_ + " cannot be opened"),
        space_(H5Dget_space(set_.id()), H5Sclose, text_) {}

  // Throws Failure: it has another number of dimensions, or no elements that are numbers.
  template <std::size_t N>
  Index<N> extents() const {
    const Hdf5Handle type(H5Dget_type(set_.id()), H5Tclose, text_);
    if (const H5T_class_t kind = H5Tget_class(type.id()); kind != H5T_INTEGER && kind != H5T_FLOAT)
      throw_failure(Code::invalid_argument, text_ + " does not hold numbers");
    const int dimensions = H5Sget_simple_extent_ndims(space_.id());
    if (dimensions != int(N))
      throw_failure(Code::invalid_argument,
                    text_ + " has " + std::to_string(dimensions) + " dimensions, not " + std::to_string(N));
    std::array<hsize_t, N> sizes{};
    H5Sget_simple_extent_dims(space_.id(), sizes.data(), nullptr);
    Index<N> extents{};
    for (std::size_t d = 0; d < N; ++d) extents[d] = std::size_t(sizes[d]);
    return extents;
  }

  // A box of it, row-major, converted to T.
  template <class T, std::size_t N>
  void read(const IndexBox<N>& box, T* to) const {
    const auto first = hdf5_sizes(box.first), counts = hdf5_sizes(box.extents);
    check_hdf5(H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, first.data(), nullptr, counts.data(), nullptr), text_);
    const Hdf5Handle memory(H5Screate_simple(int(N), counts.data(), nullptr), H5Sclose, text_);
    check_hdf5(H5Dread(set_.id(), hdf5_type<T>(), memory.id(), space_.id(), H5P_DEFAULT, to),
               text_ + " cannot be read from " + to_string(box.first) + " on");
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  Hdf5Handle file_, set_, space_;
};

// Makes a dataset whose elements lie in one piece, and room for them; returns where they begin in the file.
template <Hdf5Element T, std::size_t N>
std::uint64_t make_hdf5_dataset(const std::string& path, const std::string& name, const Index<N>& extents) {
  const std::string what = "dataset '" + name + "' of file '" + path + "' cannot be made";
  const Hdf5Quiet quiet;
  const bool is_there = H5Fis_hdf5(path.c_str()) > 0;
  const Hdf5Handle file(is_there ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                                 : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                        H5Fclose, what);
  if (is_there && H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) > 0) {
    if (H5Oexists_by_name(file.id(), name.c_str(), H5P_DEFAULT) > 0) {  // else it is a link to nowhere
      const Hdf5Handle old(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose, what);
      if (H5Iget_type(old.id()) != H5I_DATASET)  // a group would take all with it that is in it
        throw_failure(Code::exists, what + ": something else has that name");
    }
    check_hdf5(H5Ldelete(file.id(), name.c_str(), H5P_DEFAULT), what);
  }
  const Hdf5Handle space(H5Screate_simple(int(N), hdf5_sizes(extents).data(), nullptr), H5Sclose, what);
  const Hdf5Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose, what),
      layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  check_hdf5(H5Pset_create_intermediate_group(groups.id(), 1), what);
  check_hdf5(H5Pset_layout(layout.id(), H5D_CONTIGUOUS), what);
  check_hdf5(H5Pset_alloc_time(layout.id(), H5D_ALLOC_TIME_EARLY), what);
  check_hdf5(H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER), what);
  const Hdf5Handle set(
      H5Dcreate2(file.id(), name.c_str(), hdf5_type<T>(), space.id(), groups.id(), layout.id(), H5P_DEFAULT), H5Dclose,
      what);
  check_hdf5(H5Fflush(file.id(), H5F_SCOPE_LOCAL), what);
  return volume(extents) == 0 ? 0 : H5Dget_offset(set.id());
}

// ---- saving and loading ----

// Local. Throws Failure, which names file and dataset.
template <std::size_t N>
Index<N> hdf5_extents(const std::string& path, const std::string& dataset) {
  const Hdf5Quiet quiet;
  return Hdf5Dataset(path, dataset).extents<N>();
}

// Collective: all meet, unit 0 makes the dataset, in a file that is there or a new one, with the groups in its name; then each unit
// writes its elements where they belong, all at once. A dataset of that name, or a link to nowhere, is replaced (HDF5 does
// not give its room back); a file that is none of HDF5's is, too. All units see the file system. Nobody else has the file
// open. Throws Failure at every unit, which names the file or the rank; also where a group has that name, which stays as it is.
template <class C>
requires Hdf5Element<typename C::value_type>
void save_hdf5(const C& container, const std::string& path, const std::string& dataset = "data") {
  using T = typename C::value_type;
  const Team& team = container.team();
  const std::string what = "saving array '" + container.name() + "' to '" + path + "'";
  std::uint64_t offset = 0;
  team.barrier(what);
  together(team, what, [&] {
    if (team.unit() == 0) offset = make_hdf5_dataset<T>(path, dataset, container.extents());
  });
  offset = team.gather(offset, what).front();
  together(team, what, [&] {
    SharedFile file(path, "r+b");
    for_each_run(view_of(container), team.unit(), [&](const auto& run) {
      const std::size_t position = position_of(run.index, container.extents());
      file.write(offset + position * sizeof(T), container.local().data() + run.place, run.count * sizeof(T));
    });
    file.finish();
  });
}

// Collective. The dataset has the container's extents; its elements are numbers of any type, in any layout that the
// library reads, also compressed. Throws Failure at every unit, which names file and dataset, and what differs, or the
// rank.
template <class C>
requires Hdf5Element<typename C::value_type>
void load_hdf5(const std::string& path, C& container, const std::string& dataset = "data") {
  const std::string what = "loading array '" + container.name() + "' from '" + path + "'";
  together(container.team(), what, [&] {
    const Hdf5Quiet quiet;
    const Hdf5Dataset from(path, dataset);
    if (const auto extents = from.extents<C::kDimensions>(); extents != container.extents())
      throw_failure(Code::invalid_argument, from.text() + " has extents " + to_string(extents) + ", array '" +
                                                container.name() + "' " + to_string(container.extents()));
    std::vector<typename C::value_type> buffer;
    for_each_piece(view_of(container), container.team().unit(), [&](const auto& piece) {
      auto* const memory = container.local().data() + piece.offset;
      if (piece.strides == row_major(piece.box.extents)) return from.read(piece.box, memory);
      buffer.resize(piece.box.size());
      from.read(piece.box, buffer.data());
      for (std::size_t at = 0; at < buffer.size(); ++at)
        memory[dot(index_at(at, piece.box.extents), piece.strides)] = buffer[at];
    });
  });
}

}  // namespace polder::containers
