// Any bytes as the page that the ranks of a machine share: refused, or a page of which each part can be read.
#include "bootstrap/local/job_page.hpp"
#include "memory_file.hpp"

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace polder;
  using namespace polder::bootstrap;
  using namespace polder::bootstrap::local;
  const MemoryFile raw(data, size);
  if (JobPage::open(raw.path()).ok()) std::abort();  // no input is as large as a page
  // A page of two ranks, over which the input is written; the head is left as it was where the first byte is even.
  static const auto page = *JobPage::create({.size = 2});
  static const std::string path = "/proc/self/fd/" + std::to_string(page->file().get());
  if (size == 0) return 0;
  const bool keeps_head = data[0] % 2 == 0;
  auto* const memory = reinterpret_cast<std::byte*>(&page->header());
  static const std::vector<std::byte> head(memory, memory + 64);
  std::memcpy(memory + (keeps_head ? 64 : 0), data + 1, size - 1);
  if (const auto opened = JobPage::open(path); opened.ok()) {
    if ((*opened)->size() != 2) std::abort();
    if (const AbortRequest* request = (*opened)->abort_request())
      if (request->text().size() > AbortRequest::kReasonBytes) std::abort();
  }
  std::memcpy(memory, head.data(), head.size());
  // Where a rank stands.
  auto& standing = page->standing(1);
  std::memcpy(static_cast<void*>(&standing), data + 1, std::min(size - 1, sizeof standing));
  if (const auto wait = standing.read(1))
    if (wait->named() > LongWait::kNamed || wait->text().size() > wait->what.size()) std::abort();
  return 0;
}
