namespace layer {
#include <GASPI.h>
#include <GASPI_Ext.h>
#include <GASPI_Lowlevel.h>
#include <GASPI_Threads.h>
#include <PGASPI.h>
#include <PGASPI_Ext.h>
#include <PGASPI_Lowlevel.h>
#include <PGASPI_Threads.h>
}  // namespace layer

// Constants are named through the namespace too.
layer::gaspi_timeout_t block() {
  return layer::GASPI_BLOCK;
}
layer::gaspi_return_t start() {
  return layer::gaspi_proc_init(layer::GASPI_TEST);
}
layer::gaspi_return_t meet() {
  return layer::gaspi_barrier(layer::GASPI_GROUP_ALL, layer::GASPI_BLOCK);
}
