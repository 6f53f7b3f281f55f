/* Which modules of the process are instrumented: those in scope, as they come and go.
 * Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_MODULES_H
#define KYMO_FUNCPATCH_MODULES_H

/* Find the modules that are in scope and not known, and instrument them; forget those that are
 * gone. */
void funcpatch_modules_look(void);

#endif
