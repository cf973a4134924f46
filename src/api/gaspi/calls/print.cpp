// gaspi_printf and gaspi_printf_to: lines that say who wrote them.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/life/context.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <span>
#include <string>

using namespace polder;
using namespace polder::gaspi;

namespace {

std::string prefix(const Context* context) {
  if (context != nullptr) return "[" + context->runtime().host() + ":" + std::to_string(context->rank()) + "] ";
  char host[256] = "";
  (void)gethostname(host, sizeof host - 1);
  return std::string("[") + host + ":-] ";  // no rank yet
}

std::string compose(const Context* context, const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string line = prefix(context);
  if (length < 0) return line + "(a text that cannot be printed)\n";
  const std::size_t begin = line.size();
  line.resize(begin + std::size_t(length) + 1);
  std::vsnprintf(line.data() + begin, std::size_t(length) + 1, format, arguments);
  line.pop_back();
  return line;
}

// In one call, so that lines of threads do not mix.
void print_here(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

void print_there(Context& context, Rank rank, const std::string& line) {
  const Waiting waiting;
  const auto bytes = std::as_bytes(std::span(line));
  const std::size_t most = context.runtime().max_message();
  const Deadline deadline(gaspi_timeout_t(context.config.sn_timeout));
  for (std::size_t sent = 0; sent < bytes.size(); sent += most) {
    const auto piece = bytes.subspan(sent, std::min(most, bytes.size() - sent));
    if (!context.runtime().send(rank, kPrint, piece, deadline.left()).ok()) return;
  }
}

}  // namespace

extern "C" {

void pgaspi_printf(const char* format, ...) {
  if (format == nullptr) return;
  va_list arguments;
  va_start(arguments, format);
  (void)guarded("gaspi_printf", [&] {
    print_here(compose(current(), format, arguments));
    return GASPI_SUCCESS;
  });
  va_end(arguments);
}
POLDER_WEAK_ALIAS(printf);

void pgaspi_printf_to(gaspi_rank_t rank, const char* format, ...) {
  Context* const context = current();
  if (format == nullptr || context == nullptr || rank >= context->size()) return;
  va_list arguments;
  va_start(arguments, format);
  (void)guarded("gaspi_printf_to", [&] {
    const std::string line = compose(context, format, arguments);
    if (rank == context->rank()) {
      print_here(line);
    } else {
      print_there(*context, rank, line);
    }
    return GASPI_SUCCESS;
  });
  va_end(arguments);
}
POLDER_WEAK_ALIAS(printf_to);

}  // extern "C"
