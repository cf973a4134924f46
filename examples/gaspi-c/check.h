/* The simplest way to treat errors: the program ends with what failed, and the launcher ends the others. */
#ifndef CHECK_H
#define CHECK_H

#include <GASPI.h>

#include <stdio.h>
#include <stdlib.h>

#define PATIENCE 30000 /* milliseconds; nothing here takes so long, unless a rank is missing */

#define CHECK(call)                                                                            \
  do {                                                                                         \
    const gaspi_return_t code_ = (call);                                                       \
    if (code_ != GASPI_SUCCESS) {                                                              \
      gaspi_string_t why_ = "";                                                                \
      gaspi_print_error(code_, &why_);                                                         \
      fprintf(stderr, "%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, (int)code_, why_); \
      exit(EXIT_FAILURE);                                                                      \
    }                                                                                          \
  } while (0)

#endif
