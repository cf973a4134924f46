// A library calls functions of others through a table of addresses, which the dynamic linker fills in from a list of
// (place, symbol). System V ABI, chapter 5: Dynamic Linking.
#include "device/wire/network/redirect.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace polder::device::wire {
namespace {

struct Library {
  const void* inside = nullptr;
  ElfW(Addr) base = 0;
  const ElfW(Dyn) * dynamic = nullptr;
  std::uintptr_t first = 0, last = 0;                   // of its code and data
  std::uintptr_t protected_from = 0, protected_to = 0;  // what the linker has made read-only

  bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= first && at < last;
  }
};

int look_at(dl_phdr_info* info, std::size_t, void* found) {
  Library library;
  library.base = info->dlpi_addr;
  library.first = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t from = info->dlpi_addr + part.p_vaddr, to = from + part.p_memsz;
    if (part.p_type == PT_LOAD)
      library.first = std::min(library.first, from), library.last = std::max(library.last, to);
    if (part.p_type == PT_DYNAMIC) library.dynamic = reinterpret_cast<const ElfW(Dyn)*>(from);
    if (part.p_type == PT_GNU_RELRO) library.protected_from = from, library.protected_to = to;
  }
  auto& wanted = *static_cast<Library*>(found);
  if (!library.holds(wanted.inside)) return 0;
  library.inside = wanted.inside;
  wanted = library;
  return 1;
}

// The lists of (place, symbol) of a library, and the names of the symbols.
struct Lists {
  const ElfW(Rela) * of_data = nullptr;
  const ElfW(Rela) * of_calls = nullptr;
  std::size_t data_count = 0, calls_count = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;

  bool complete() const { return of_calls != nullptr && symbols != nullptr && names != nullptr; }
  const char* name_of(const ElfW(Rela) & entry) const { return names + symbols[ELF64_R_SYM(entry.r_info)].st_name; }
};

Lists lists_of(const Library& library) {
  Lists lists;
  for (const ElfW(Dyn)* entry = library.dynamic; entry->d_tag != DT_NULL; ++entry) {
    const auto place = entry->d_un.d_ptr;
    if (entry->d_tag == DT_RELA) lists.of_data = reinterpret_cast<const ElfW(Rela)*>(place);
    if (entry->d_tag == DT_RELASZ) lists.data_count = entry->d_un.d_val / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_JMPREL) lists.of_calls = reinterpret_cast<const ElfW(Rela)*>(place);
    if (entry->d_tag == DT_PLTRELSZ) lists.calls_count = entry->d_un.d_val / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_SYMTAB) lists.symbols = reinterpret_cast<const ElfW(Sym)*>(place);
    if (entry->d_tag == DT_STRTAB) lists.names = reinterpret_cast<const char*>(place);
  }
  return lists;
}

// Stores into a place that the linker may have made read-only.
bool store(const Library& library, AnyFunction* place, AnyFunction value) {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  const bool read_only = at >= library.protected_from && at < library.protected_to;
  const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
  auto* first = reinterpret_cast<void*>(at / page * page);
  if (read_only && ::mprotect(first, page, PROT_READ | PROT_WRITE) != 0) return false;
  std::atomic_ref(*place).store(value, std::memory_order_release);
  if (read_only) ::mprotect(first, page, PROT_READ);
  return true;
}

}  // namespace

AnyFunction redirect(const void* inside, const char* name, AnyFunction replacement) {
  Library library;
  library.inside = inside;
  if (::dl_iterate_phdr(look_at, &library) == 0 || library.dynamic == nullptr) return nullptr;
  const Lists lists = lists_of(library);
  if (!lists.complete()) return nullptr;
  AnyFunction before = nullptr;
  const auto lead = [&](const ElfW(Rela) * entries, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (ELF64_R_SYM(entries[i].r_info) == 0 || std::strcmp(lists.name_of(entries[i]), name) != 0) continue;
      auto* place = reinterpret_cast<AnyFunction*>(library.base + entries[i].r_offset);
      const AnyFunction old = std::atomic_ref(*place).load(std::memory_order_relaxed);
      if (store(library, place, replacement)) before = old;
    }
  };
  lead(lists.of_calls, lists.calls_count);
  lead(lists.of_data, lists.data_count);
  // A call that has not been bound yet leads to the binding, which would undo this.
  if (before != nullptr && library.holds(reinterpret_cast<const void*>(before)))
    before = reinterpret_cast<AnyFunction>(::dlsym(RTLD_DEFAULT, name));
  return before;
}

}  // namespace polder::device::wire
