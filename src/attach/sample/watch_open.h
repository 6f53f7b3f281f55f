/* Opening and closing, and which threads there are. */
#ifndef KYMO_WATCH_OPEN_H
#define KYMO_WATCH_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/sample/watch.h"
#include "base/status.h"

/* On failure *may_come_out, where not NULL, says that a Python may be there later. */
enum kymo_status watch_open(struct watch *watch, pid_t pid, const struct watch_options *options,
			    bool *may_come_out, struct problem *problem);
/* Tells the program that a process runs from one that takes its place; 0 = it has ended. */
uint64_t watch_image(pid_t pid);
void watch_close(struct watch *watch, const struct watch_sink *sink);
/* List the threads again where it is time, or something changed. */
enum watch_state watch_refresh(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink);

/* List them once more in the middle of a look, since some have gone: others may have come in
 * their place.  Where that would take too long, the next look does it. */
void watch_list_refresh(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink);

#endif
