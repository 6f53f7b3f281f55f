/* Counters of the program.  Each returns an enum kymo_result and keeps errno.  Context: any. */
#ifndef KYMO_USERCOUNTERS_H
#define KYMO_USERCOUNTERS_H

#include "runtime/user/userabi.h"

int userapi_counter_set(const char *name, const char *unit, double value);
int userapi_counter_add(const char *name, const char *unit, double change);
int userapi_site_count(struct kymo_site *site, double value, int is_sum);

#endif
