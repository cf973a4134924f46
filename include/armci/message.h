/* The collectives and messages that come with ARMCI; see message_calls.h. */
#ifndef ARMCI_MESSAGE_H
#define ARMCI_MESSAGE_H

#include "armci.h"
#include "message_calls.h"

#endif
