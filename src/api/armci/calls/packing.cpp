// Between a patch of local memory and a buffer without gaps.
#include "api/armci/job/error.hpp"
#include "api/armci/symbols.hpp"
#include "api/armci/transfer/strides.hpp"

#include <cstddef>
#include <cstring>

namespace polder::armci {
namespace {

// Calls visit(piece, bytes) for each block of the patch, the innermost level first.
template <class Visit>
void visit_level(const Strided& patch, std::size_t level, std::byte* at, Visit& visit) {
  if (level == 0) return visit(at, patch.bytes);
  for (std::size_t i = 0; i < patch.counts[level - 1]; ++i)
    visit_level(patch, level - 1, at + std::ptrdiff_t(i) * patch.local_stride[level - 1], visit);
}

template <class Visit>
void for_each_block(const char* call, void* ptr, int levels, const int* strides, const int* count, Visit visit) {
  const auto patch = Strides::make(strides, strides, count, levels);
  if (!patch.ok()) {
    failed(call, patch.status());
    return;
  }
  const Strided shape = patch->strided();
  if (!patch->empty()) visit_level(shape, shape.counts.size(), static_cast<std::byte*>(ptr), visit);
}

}  // namespace
}  // namespace polder::armci

using namespace polder::armci;

extern "C" {

void parmci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf) {
  for_each_block("armci_write_strided", ptr, stride_levels, stride_arr, count, [&](std::byte* at, std::size_t bytes) {
    std::memcpy(buf, at, bytes);
    buf += bytes;
  });
}
[[gnu::weak, gnu::alias("parmci_write_strided")]] decltype(parmci_write_strided) armci_write_strided;

void parmci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf) {
  for_each_block("armci_read_strided", ptr, stride_levels, stride_arr, count, [&](std::byte* at, std::size_t bytes) {
    std::memcpy(at, buf, bytes);
    buf += bytes;
  });
}
[[gnu::weak, gnu::alias("parmci_read_strided")]] decltype(parmci_read_strided) armci_read_strided;

}  // extern "C"
