#include "kernels/search.hpp"

namespace kmeans {

extern const SearchKernel kAvx512Search;
const SearchKernel kAvx512Search{"AVX-512", TileSearch<64>::search};

}  // namespace kmeans
