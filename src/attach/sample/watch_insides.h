/* Between watch_open.c and watch_observe.c: listing and looking. */
#ifndef KYMO_WATCH_INSIDES_H
#define KYMO_WATCH_INSIDES_H

#include "attach/sample/watch.h"

/* List the threads again where it is time, or something changed. */
enum watch_state watch_refresh(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink);

/* List them once more in the middle of a look, since some have gone: others may have come in
 * their place.  Where that would take too long, the next look does it. */
void watch_list_again(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink);

#endif
