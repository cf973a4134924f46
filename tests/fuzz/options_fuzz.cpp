// Any text as the value of an option in the environment: understood and within its bounds, or the default.
#include "util/options.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace polder::util;
  static const bool quiet = setenv("POLDER_LOG", "error", 1) == 0;
  const std::string text = std::string(reinterpret_cast<const char*>(data), size).c_str();
  constexpr Option kNumber{"POLDER_FUZZ_NUMBER", "7", "", 3};
  constexpr Option kFlag{"POLDER_FUZZ_FLAG", "1", ""};
  constexpr Option kAuto{"POLDER_FUZZ_AUTO", "auto", ""};
  for (const char* name : {kNumber.name, kFlag.name, kAuto.name}) setenv(name, text.c_str(), 1);
  const std::int64_t number = option_number(kNumber);
  if (!quiet || number < kNumber.least || number > kLargestNumber) std::abort();
  static_cast<void>(option_flag(kFlag));
  static_cast<void>(option_flag_or_auto(kAuto));
  constexpr std::string_view kNames[] = {"POLDER_RANK", "POLDER_SIZE"};
  static_cast<void>(nearest_name(text, kNames));
  return 0;
}
