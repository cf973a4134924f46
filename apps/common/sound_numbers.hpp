// What every number of a command line has to be, in all programs: CLI11 takes -1 for the largest number where one without a sign is
// wanted, as strtoull does, and "nan" and "inf" pass its ranges or begin waits that never end.
#pragma once

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

#include <CLI/CLI.hpp>

namespace apps {

// What is wrong with a word that is to become an unsigned number, or nothing. What is no number at all is left for CLI11 to say.
inline std::string why_not_unsigned(std::string& word) {
  const std::size_t sign = word.find_first_not_of(" \t");
  if (sign != std::string::npos && word[sign] == '-') return "'" + word + "' is negative";
  errno = 0;
  (void)std::strtoull(word.c_str(), nullptr, 0);
  return errno == ERANGE ? "'" + word + "' is too large" : "";
}

// Likewise of one that is to become a floating-point number.
inline std::string why_not_finite(std::string& word) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (end == word.c_str() || std::isfinite(number)) return "";
  return "'" + word + "' is not a finite number";
}

// For parts of a word, as in 120:3, that no option has the type of.
template <class T>
bool read_unsigned(std::string word, T& number) {
  return why_not_unsigned(word).empty() && CLI::detail::lexical_cast(word, number);
}

// Lets all numbers of `app` and its subcommands be checked before anything else is made of their words.
// REQUIRES: all options have been added.
inline void demand_sound_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    // The type that add_option took from the variable; it comes first, before what checks add.
    const std::string type = option->get_type_name();
    if (type.starts_with("UINT")) option->transform(CLI::Validator(why_not_unsigned, ""));
    if (type.starts_with("FLOAT")) option->transform(CLI::Validator(why_not_finite, ""));
  }
  // Groups of options are subcommands, too, to CLI11.
  for (CLI::App* part : app.get_subcommands([](CLI::App*) { return true; })) demand_sound_numbers(*part);
}

}  // namespace apps
