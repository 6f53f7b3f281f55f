/* The table of <kymo/kymo.h>; its functions are in the other files here: each returns an enum
 * kymo_result and keeps errno. */
#ifndef KYMO_USERAPI_H
#define KYMO_USERAPI_H

struct kymo_api;

/* The table, its functions selected for the mode of the session. */
const struct kymo_api *userapi_open(void);

#endif
