/* The table behind <kymo/kymo.h>, whose functions lie beside this: each returns an enum
 * kymo_result and keeps errno. */
#ifndef KYMO_USERAPI_H
#define KYMO_USERAPI_H

struct kymo_api;

/* userapi.c: the table itself, its functions chosen for the mode of the session. */
const struct kymo_api *userapi_open(void);

#endif
