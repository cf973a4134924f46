// Any bytes as a .npy file: refused with a sentence, or a head whose elements lie in the file, and that reads the same after
// it has been written.
#include "common/npy.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto head = apps::read_npy_head("fuzz.npy", {reinterpret_cast<const std::byte*>(data), size});
  if (!head.ok()) {
    if (head.status().code() != polder::Code::invalid_argument || head.status().message().empty()) std::abort();
    return 0;
  }
  const auto elements = apps::elements_of(head->shape);
  if (!elements || head->data_at > size || *elements * apps::bytes_of(head->number) > size - head->data_at)
    std::abort();
  const std::string written = apps::npy_head(head->number, head->shape);
  std::vector<std::byte> again(written.size() + *elements * apps::bytes_of(head->number));
  std::memcpy(again.data(), written.data(), written.size());
  const auto read = apps::read_npy_head("again.npy", again);
  if (!read.ok() || read->shape != head->shape || read->number != head->number || read->data_at != written.size())
    std::abort();
  return 0;
}
