/* kymo attach --dump: every thread's stack, once, on standard output. */
#ifndef KYMO_ATTACH_DUMP_H
#define KYMO_ATTACH_DUMP_H

#include "cli/attach/attach_options.h"

int attach_dump(const struct attach_request *request);

#endif
