/* Regions, phases and parameters identified by name.  Each returns an enum kymo_result and keeps
 * errno.  Context: any. */
#ifndef KYMO_USERNAMED_H
#define KYMO_USERNAMED_H

#include <stddef.h>

#include "runtime/user/userabi.h"

int userapi_region_begin(const char *name);
int userapi_region_end(const char *name);
int userapi_region_begin_with(const char *name, const struct kymo_value *values, size_t count);
int userapi_region_end_with(const char *name, const struct kymo_value *values, size_t count);
int userapi_phase_begin(const char *name);
int userapi_phase_end(const char *name);
int userapi_parameter(const struct kymo_value *value);

#endif
