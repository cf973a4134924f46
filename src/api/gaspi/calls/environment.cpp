// GASPI 17.1, section 13: version, time and texts of errors.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/machine/sockets.hpp"

#include <polder/trace.h>

#include <time.h>

#include <chrono>

using namespace polder::gaspi;

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

// Counted from the first look: a float holds milliseconds since the machine's start to no better than seconds.
double milliseconds_since_start() {
  static const Clock::time_point start = Clock::now();
  return Milliseconds(Clock::now() - start).count();
}

double microseconds_of_machine() {
  return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count();
}

// The rate of the first look, so that cycles never run backwards. A machine that does not tell counts nanoseconds.
double cycles_per_microsecond() {
  static const double rate = clock_rate_mhz().value_or(1000.0f);
  return rate;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_version(float* version) {
  if (version == nullptr) return refuse_null("gaspi_version", "version");
  *version = 17.1f;
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(version);

gaspi_return_t pgaspi_time_get(gaspi_time_t* wtime) {
  if (wtime == nullptr) return refuse_null("gaspi_time_get", "wtime");
  *wtime = gaspi_time_t(milliseconds_since_start());
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(time_get);

gaspi_return_t pgaspi_time_ticks(gaspi_time_t* resolution) {
  if (resolution == nullptr) return refuse_null("gaspi_time_ticks", "resolution");
  timespec tick{};
  if (clock_getres(CLOCK_MONOTONIC, &tick) != 0)
    return refuse(GASPI_ERR_ENV, "gaspi_time_ticks", "the clock has no resolution");
  *resolution = gaspi_time_t(double(tick.tv_sec) * 1e3 + double(tick.tv_nsec) * 1e-6);
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(time_ticks);

gaspi_return_t pgaspi_time_cycles(gaspi_cycles_t* cycles) {
  if (cycles == nullptr) return refuse_null("gaspi_time_cycles", "cycles");
  return guarded("gaspi_time_cycles", [&] {
    *cycles = gaspi_cycles_t(microseconds_of_machine() * cycles_per_microsecond());
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(time_cycles);

gaspi_return_t pgaspi_print_error(gaspi_return_t error_code, gaspi_string_t* error_message) {
  if (error_message == nullptr) return refuse_null("gaspi_print_error", "error_message");
  *error_message = const_cast<gaspi_string_t>(text_of(error_code));
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(print_error);

// The specification's own examples, and so programs that began with them, call it by this name.
gaspi_return_t pgaspi_error_message(gaspi_return_t error_code, gaspi_string_t* error_message) {
  return pgaspi_print_error(error_code, error_message);
}
POLDER_WEAK_ALIAS(error_message);

gaspi_string_t pgaspi_error_str(gaspi_return_t error_code) {
  return const_cast<gaspi_string_t>(text_of(error_code));
}
POLDER_WEAK_ALIAS(error_str);

gaspi_string_t pgaspi_error_detail(void) {
  return const_cast<gaspi_string_t>(last_detail());
}
POLDER_WEAK_ALIAS(error_detail);

// As with MPI_Pcontrol: 0 stops tracing, 1 goes on, 2 writes out what is in memory. Other levels are for tools.
gaspi_return_t pgaspi_pcontrol(gaspi_int level, ...) {
  if (level == 0) polder_trace_pause();
  if (level == 1) polder_trace_resume();
  if (level == 2) polder_trace_flush();
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(pcontrol);

}  // extern "C"
