#include "device/shm/options.hpp"

namespace polder::device::shm {
namespace {

constexpr util::Option kUserMemory{"POLDER_SHM_USER_MEMORY", "auto",
                                   "how ranks of one machine reach memory that a user bound: auto (cross-memory attach "
                                   "where it is allowed), cma, messages"};
constexpr util::Option kTable[] = {kUserMemory};

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

UserMemory user_memory_option() {
  const std::string text = util::option_text(kUserMemory);
  if (text == "cma") return UserMemory::cross_attach;
  if (text == "messages") return UserMemory::messages;
  if (text != kUserMemory.default_value) util::report_misunderstood(kUserMemory, text);
  return UserMemory::automatic;
}

}  // namespace polder::device::shm
