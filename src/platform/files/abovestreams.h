/* Descriptors that are no standard streams: a program may be started without these, and what is
 * opened then gets their numbers. */
#ifndef KYMO_ABOVESTREAMS_H
#define KYMO_ABOVESTREAMS_H

/* The descriptor, or what it was moved to, closed on exec, where it had the number of a standard
 * stream.  Takes it: -1 with errno where it cannot be moved, and for -1. */
int abovestreams(int descriptor);

#endif
