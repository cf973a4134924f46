/* Compiled in each language that programs use. */
#include <message.h>

#include <armci.h>

int main(void) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  int sum = ARMCI_ACC_DCP;
  sum += SCOPE_MASTERS;
  sum += ARMCI_DOUBLE;
  sum += ARMCI_SWAP_LONG;
  return sum;
}
