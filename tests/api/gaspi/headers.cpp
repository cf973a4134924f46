// The headers in C++: twice, and once more inside a namespace, as C++ layers over GASPI include them.
#include <GASPI.h>
#include <GASPI_Ext.h>
#include <GASPI_Lowlevel.h>
#include <GASPI_Threads.h>
#include <PGASPI.h>
#include <PGASPI_Ext.h>
#include <PGASPI_Lowlevel.h>
#include <PGASPI_Threads.h>

gaspi_timeout_t block() {
  return GASPI_BLOCK;
}
