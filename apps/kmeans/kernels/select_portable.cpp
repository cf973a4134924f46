#include "kernels/kernel.hpp"

namespace kmeans {

const SearchKernel& search_kernel() {
  return kPortableSearch;
}

}  // namespace kmeans
