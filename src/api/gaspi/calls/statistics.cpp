// GASPI 17.1, section 14.1: the calls about counters.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/life/context.hpp"

using namespace polder;
using namespace polder::gaspi;

namespace {

gaspi_return_t check_counter(const char* operation, gaspi_statistic_counter_t counter) {
  if (counter < kCounters) return GASPI_SUCCESS;
  return refuse(GASPI_ERR_INV_NUM, operation, "the counter must be below gaspi_statistic_counter_max", counter);
}

void print_value(const CounterInfo& about, Rank argument, unsigned long value) {
  if (value == 0) return;
  if (about.argument == GASPI_STATISTIC_ARGUMENT_RANK) {
    pgaspi_printf("%s %u: %lu\n", about.name, argument, value);
  } else {
    pgaspi_printf("%s: %lu\n", about.name, value);
  }
}

// Without a context there are no ranks to count for.
void print_counter(Counter counter, const Context* context) {
  const CounterInfo& about = info(counter);
  const bool by_rank = about.argument == GASPI_STATISTIC_ARGUMENT_RANK;
  const Rank arguments = !by_rank ? 1 : context == nullptr ? 0 : context->size();
  for (Rank argument = 0; argument < arguments; ++argument) {
    unsigned long value = 0;
    if (statistics().get(counter, argument, value)) print_value(about, argument, value);
  }
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_statistic_counter_max(gaspi_number_t* counter_max) {
  if (counter_max == nullptr) return refuse_null("gaspi_statistic_counter_max", "counter_max");
  *counter_max = kCounters;
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(statistic_counter_max);

gaspi_return_t pgaspi_statistic_counter_info(gaspi_statistic_counter_t counter,
                                             gaspi_statistic_argument_t* counter_argument, gaspi_string_t* counter_name,
                                             gaspi_string_t* counter_description, gaspi_number_t* verbosity_level) {
  constexpr auto kName = "gaspi_statistic_counter_info";
  if (const auto code = check_counter(kName, counter); code != GASPI_SUCCESS) return code;
  if (counter_argument == nullptr) return refuse_null(kName, "counter_argument");
  if (counter_name == nullptr) return refuse_null(kName, "counter_name");
  if (counter_description == nullptr) return refuse_null(kName, "counter_description");
  if (verbosity_level == nullptr) return refuse_null(kName, "verbosity_level");
  const CounterInfo& about = info(Counter(counter));
  *counter_argument = about.argument;
  *counter_name = const_cast<gaspi_string_t>(about.name);
  *counter_description = const_cast<gaspi_string_t>(about.description);
  *verbosity_level = about.level;
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(statistic_counter_info);

gaspi_return_t pgaspi_statistic_verbosity_level(gaspi_number_t verbosity_level) {
  statistics().set_level(verbosity_level);
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(statistic_verbosity_level);

gaspi_return_t pgaspi_statistic_counter_get(gaspi_statistic_counter_t counter, gaspi_number_t argument,
                                            unsigned long* value) {
  if (const auto code = check_counter("gaspi_statistic_counter_get", counter); code != GASPI_SUCCESS) return code;
  if (value == nullptr) return refuse_null("gaspi_statistic_counter_get", "value");
  if (statistics().get(Counter(counter), argument, *value)) return GASPI_SUCCESS;
  return refuse(GASPI_ERR_INV_RANK, "gaspi_statistic_counter_get", "the argument must be a rank", argument);
}
POLDER_WEAK_ALIAS(statistic_counter_get);

gaspi_return_t pgaspi_statistic_counter_reset(gaspi_statistic_counter_t counter) {
  if (const auto code = check_counter("gaspi_statistic_counter_reset", counter); code != GASPI_SUCCESS) return code;
  statistics().reset(Counter(counter));
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(statistic_counter_reset);

gaspi_return_t pgaspi_statistic_print_counters(void) {
  return guarded("gaspi_statistic_print_counters", [&] {
    const Context* const context = current();
    for (unsigned counter = 0; counter < kCounters; ++counter) print_counter(Counter(counter), context);
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(statistic_print_counters);

}  // extern "C"
