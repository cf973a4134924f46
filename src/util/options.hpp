// Run-time options. Each module exports a constant table of its own; `polder info` prints them all.
//
// An option is set by its environment variable (POLDER_...), or by the `polder run --env` that sets it for every rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace polder::util {

struct Option {
  const char* name;           // the environment variable, e.g. "POLDER_SPIN_US"
  const char* default_value;  // as the user would write it
  const char* help;           // one sentence, with the unit and the values allowed
  std::int64_t least = 0;     // of a number; the largest is kLargestNumber
};

inline constexpr std::int64_t kLargestNumber = 1'000'000'000'000;

// What the environment says, else the default.
std::string option_text(const Option& option);

// As a whole number (also "64k", "2M", "1G"); a value that is none, or is out of range, is reported on standard error
// and the default taken.
std::int64_t option_number(const Option& option);

// For options with words of their own: says that `text` is none of them and the default is taken.
void report_misunderstood(const Option& option, const std::string& text);

// "1", "on", "true", "yes" are true; "0", "off", "false", "no" are false.
bool option_flag(const Option& option);

// Reports, once in a process, variables of the environment that begin with POLDER_, are not in `known`, and are so near
// to a known one that it will have been meant.
void report_unknown(std::span<const std::string_view> known);

// The nearest of `known` by edit distance, or nothing if none is near enough to be a slip. For messages.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

// Of an option whose default is "auto": nothing for that, and, reported, for what is no flag.
std::optional<bool> option_flag_or_auto(const Option& option);

}  // namespace polder::util
