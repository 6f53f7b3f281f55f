/* The types of <kymo/kymo.h> as used by the runtime, which has no slot of its own. */
#ifndef KYMO_USERABI_H
#define KYMO_USERABI_H

#ifndef KYMO_DISABLE
#define KYMO_DISABLE 1
#endif
#include "kymo/abi.h"

#endif
