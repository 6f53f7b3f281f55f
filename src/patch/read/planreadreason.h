/* Why a function is not recorded, in words.  Any thread; the texts are static. */
#ifndef KYMO_PLANREADREASON_H
#define KYMO_PLANREADREASON_H

#include "patch/plan/plan.h"

/* "too short for a jump, and no padding after it": for users.  "unknown": no such reason. */
const char *plan_reason_text(enum plan_reason reason);

#endif
