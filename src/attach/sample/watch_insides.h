/* Between watch_open.c and watch_observe.c: listing and observing. */
#ifndef KYMO_WATCH_INSIDES_H
#define KYMO_WATCH_INSIDES_H

#include "attach/sample/watch.h"

#endif
