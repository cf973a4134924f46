#include "kernels/search.hpp"

namespace kmeans {

extern const SearchKernel kPortableSearch;
const SearchKernel kPortableSearch{"portable", TileSearch<16>::search};

}  // namespace kmeans
