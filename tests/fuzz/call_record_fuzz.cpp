// Any bytes as what another member says of the collective that it is in: they can be told to people.
#include "coll/lane/call_record.hpp"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using polder::coll::CallRecord;
  CallRecord records[2];
  std::memcpy(static_cast<void*>(records), bytes, std::min(size, sizeof records));
  for (const CallRecord& record : records)
    if (record.describe().empty() || record.fingerprint() >> 24 != 0) std::abort();
  if (CallRecord::difference(records[0], records[1]).empty()) std::abort();
  return 0;
}
