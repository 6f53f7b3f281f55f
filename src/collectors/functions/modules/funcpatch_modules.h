/* Which modules of the process are instrumented: those in scope, as they are loaded and
 * unloaded.  Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_MODULES_H
#define KYMO_FUNCPATCH_MODULES_H

/* Find the modules that are in scope and not known, and instrument them; remove those that were
 * unloaded. */
void funcpatch_modules_scan(void);

#endif
