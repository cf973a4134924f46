// A table of an epoch's parts, and a file of one: whatever is taken for whole is what was written.
//
//   input: | length of the table, 2 bytes | the table | the file of a part |
#include "ckpt/epoch_format.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace polder;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::span<const std::byte> input(reinterpret_cast<const std::byte*>(data) + 2, size - 2);
  const std::size_t length = std::min<std::size_t>(data[0] + 256u * data[1], input.size());
  const std::span<const std::byte> file = input.subspan(length);
  const Result<ckpt::EpochTable> table = ckpt::EpochTable::decode(input.first(length));
  if (table.ok()) {
    const std::vector<std::byte> again = table->encode();
    if (!std::ranges::equal(again, input.first(length))) std::abort();
    for (std::size_t place = 0; place < table->parts.size(); ++place) (void)ckpt::check_part(file, *table, place);
  }
  // A table that fits the file, so that more than its checksum is looked at.
  ckpt::EpochTable made;
  made.epoch = size;
  made.parts.resize(1);
  if (file.size() >= sizeof(ckpt::EpochPartHeader)) {
    ckpt::EpochPartHeader header;
    std::memcpy(&header, file.data(), sizeof header);
    made.epoch = header.copy.epoch;
    made.parts[0] = {file.size() - sizeof header, header.copy.checksum};
  }
  const Result<ckpt::EpochTable> back = ckpt::EpochTable::decode(made.encode());
  if (!back.ok() || back->parts != made.parts) std::abort();
  (void)ckpt::check_part(file, made, 0);
  return 0;
}
