/* The headers in C: all of them, one of them twice. */
#include <GASPI.h>
#include <GASPI_Ext.h>
#include <GASPI_Lowlevel.h>
#include <GASPI_Threads.h>
#include <PGASPI.h>
#include <PGASPI_Ext.h>
#include <PGASPI_Lowlevel.h>
#include <PGASPI_Threads.h>

static const gaspi_timeout_t block = GASPI_BLOCK; /* a constant expression */
gaspi_return_t start(void);
gaspi_return_t start(void) {
  return gaspi_proc_init(block);
}
