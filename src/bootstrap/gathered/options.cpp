#include "bootstrap/gathered/options.hpp"

namespace polder::bootstrap::gathered {
namespace {

constexpr util::Option kMeeting{
    "POLDER_MEETING", "",
    "a name that the ranks of one job share and no other job of this machine has, for ranks "
    "that are started by GASPI_RANK or PMI_RANK and do not find each other; empty: whoever "
    "has the same program and was started by the same process belongs together"};

constexpr util::Option kTable[] = {kMeeting};

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

std::string meeting_option() {
  return util::option_text(kMeeting);
}

}  // namespace polder::bootstrap::gathered
