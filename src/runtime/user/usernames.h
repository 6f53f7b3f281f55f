/* Regions by the names and sites that the program gives.  Regions last as long as the recording;
 * a thread's cache is its own.  Context: any. */
#ifndef KYMO_USERNAMES_H
#define KYMO_USERNAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/user/userabi.h"

struct kymo_thread;

/* The region of a kind and a name, wherever it is named; the place where it was first named is
 * stored with it (where may be NULL).  0 if the recording is full. */
uint32_t username_region(enum kymo_site_kind kind, const char *name, const struct kymo_site *where);
/* The same on the calling thread, which caches the names it used recently. */
uint32_t username_recent(struct kymo_thread *thread, enum kymo_site_kind kind, const char *name);
/* Release the thread's cache. */
void username_release(struct kymo_thread *thread);
/* The region of a site, cached in it. */
uint32_t username_site(struct kymo_site *site);
/* The region of a parameter with its value, and the reference of its name's text. */
uint32_t username_parameter(const struct kymo_value *value);
/* True if two parameters have one name. */
bool username_is_same(uint32_t region, uint32_t other);

#endif
