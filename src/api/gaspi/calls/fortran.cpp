// What the Fortran modules need beside the calls themselves: texts in arrays of characters, and texts to print.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/symbols.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

using namespace polder::gaspi;

namespace {

// GASPI_TEXT_SIZE of module GASPI_arrays.
constexpr std::size_t kTextSize = 128;

void copy_text(char* to, const char* text) {
  std::snprintf(to, kTextSize, "%s", text);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void gaspi_fortran_printf(const char* text);
void gaspi_fortran_printf_to(gaspi_rank_t rank, const char* text);
gaspi_return_t gaspi_fortran_error_text(gaspi_return_t error_code, char* text);
gaspi_return_t gaspi_fortran_counter_info(gaspi_statistic_counter_t counter, gaspi_statistic_argument_t* argument,
                                          char* name, char* description, gaspi_number_t* verbosity_level);
gaspi_return_t gaspi_fortran_counter_get(gaspi_statistic_counter_t counter, gaspi_number_t argument, gaspi_int* value);

void gaspi_fortran_printf(const char* text) {
  pgaspi_printf("%s", text);
}

void gaspi_fortran_printf_to(gaspi_rank_t rank, const char* text) {
  pgaspi_printf_to(rank, "%s", text);
}

gaspi_return_t gaspi_fortran_error_text(gaspi_return_t error_code, char* text) {
  copy_text(text, text_of(error_code));
  return GASPI_SUCCESS;
}

gaspi_return_t gaspi_fortran_counter_info(gaspi_statistic_counter_t counter, gaspi_statistic_argument_t* argument,
                                          char* name, char* description, gaspi_number_t* verbosity_level) {
  gaspi_string_t own_name = nullptr;
  gaspi_string_t own_description = nullptr;
  const gaspi_return_t code =
      pgaspi_statistic_counter_info(counter, argument, &own_name, &own_description, verbosity_level);
  if (code != GASPI_SUCCESS) return code;
  copy_text(name, own_name);
  copy_text(description, own_description);
  return GASPI_SUCCESS;
}

gaspi_return_t gaspi_fortran_counter_get(gaspi_statistic_counter_t counter, gaspi_number_t argument, gaspi_int* value) {
  unsigned long wide = 0;
  const gaspi_return_t code = pgaspi_statistic_counter_get(counter, argument, &wide);
  constexpr unsigned long kMost = std::numeric_limits<gaspi_int>::max();
  if (code == GASPI_SUCCESS) *value = gaspi_int(std::min(wide, kMost));
  return code;
}

}  // extern "C"
#pragma GCC visibility pop
