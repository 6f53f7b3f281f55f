/* Opening and closing, and listing threads. */
#ifndef KYMO_WATCH_OPEN_H
#define KYMO_WATCH_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/sample/watch.h"
#include "base/status.h"

/* On failure *may_appear_out, where not NULL, says whether a Python may appear later. */
enum kymo_status watch_open(struct watch *watch, pid_t pid, const struct watch_options *options,
			    bool *may_appear_out, struct problem *problem);
/* Identifies the program that a process runs, to detect an exec; 0 = it has ended. */
uint64_t watch_image(pid_t pid);
void watch_close(struct watch *watch, const struct watch_sink *sink);
/* List the threads again if it is time, or something changed. */
enum watch_state watch_refresh(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink);

/* List them once more during an observation, since some have ended: others may have replaced them.
 * If that would take too long, the next observation does it. */
void watch_list_refresh(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink);

#endif
