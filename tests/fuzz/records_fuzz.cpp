// Any bytes as the records of a rank: packed, as they travel between nodes, and as the store of a peer in shared memory.
#include "bootstrap/gathered/packed_records.hpp"
#include "bootstrap/local/record_store.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

using namespace polder;
using namespace polder::bootstrap;

void require(bool holds) {
  if (!holds) std::abort();
}

// What is taken is what would be sent.
void check_packed(std::span<const std::byte> bytes) {
  const auto records = gathered::unpack(bytes);
  if (!records) return;
  const auto again = gathered::unpack(gathered::pack(*records));
  require(again.has_value() && *again == *records);
}

void check_store(const std::uint8_t* data, std::size_t size) {
  const std::unique_ptr<local::RecordStore> store(new local::RecordStore());
  std::memcpy(static_cast<void*>(store.get()), data, std::min(size, sizeof *store));
  const auto* begin = reinterpret_cast<const std::byte*>(store.get());
  for (const char* key : {"", "a", "address", "polder.device"}) {
    const auto value = store->find(key);
    if (value) require(value->data() > begin && value->data() + value->size() <= begin + sizeof *store);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_packed({reinterpret_cast<const std::byte*>(data), size});
  check_store(data, size);
  return 0;
}
