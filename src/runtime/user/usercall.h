/* Start of each call of <kymo/kymo.h>: whether its thread may record.  Context: any. */
#ifndef KYMO_USERCALL_H
#define KYMO_USERCALL_H

#include "runtime/runtime.h"
#include "runtime/user/userabi.h"

/* The calling thread's state if events may be recorded, else NULL with the result that states
 * why not. */
struct kymo_thread *userapi_thread(int *result_out);

#endif
