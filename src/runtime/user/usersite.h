/* Regions that are entered at a site in the program, which caches them.  Context: any. */
#ifndef KYMO_USERSITE_H
#define KYMO_USERSITE_H

#include "runtime/user/userabi.h"

/* site_begin and site_end of the table for a mode of collection. */
typedef int (*user_site_fn)(struct kymo_site *site);
user_site_fn usersite_begin(unsigned mode);
user_site_fn usersite_end(unsigned mode);

#endif
