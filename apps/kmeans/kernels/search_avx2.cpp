#include "kernels/search.hpp"

namespace kmeans {

extern const SearchKernel kAvx2Search;
const SearchKernel kAvx2Search{"AVX2", TileSearch<32>::search};

}  // namespace kmeans
