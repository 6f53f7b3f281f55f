/* Whose code a native frame is, by the names of its module's file and of its function. */
#ifndef KYMO_SAMPLED_ORIGIN_H
#define KYMO_SAMPLED_ORIGIN_H

#include <stdbool.h>

#include "model/samples/sampled_frames.h"

/* Of native code; path of its module, NULL = in none. */
enum sampled_origin sampled_origin_of(const char *path, const char *function);
/* A function of the interpreter that executes Python code, as opposed to one that Python code
 * calls. */
bool sampled_is_evaluation(const char *function);

#endif
