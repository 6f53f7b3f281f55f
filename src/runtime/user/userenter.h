/* Regions that a call of <kymo/kymo.h> enters and leaves: an enum kymo_result.  Context: any. */
#ifndef KYMO_USERENTER_H
#define KYMO_USERENTER_H

#include "runtime/runtime.h"
#include "runtime/user/userabi.h"

struct user_words;

/* Enter a region of the calling thread, with its values (NULL = none), and leave one.  Region 0,
 * for which the recording had no space: KYMO_INTERNAL. */
int userapi_enter(struct kymo_thread *thread, uint32_t region, const struct user_words *values);
int userapi_leave(struct kymo_thread *thread, uint32_t region);

#endif
