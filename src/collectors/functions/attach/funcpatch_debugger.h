/* Announces trampolines to debuggers by the JIT interface of gdb: a list of ELF objects in memory,
 * and a function that is called when the list has changed. */
#ifndef KYMO_FUNCPATCH_DEBUGGER_H
#define KYMO_FUNCPATCH_DEBUGGER_H

struct funcpatch_module;

/* Announce the trampolines of a module, or withdraw them.  Context: as funcpatch_modules_scan(). */
void funcpatch_debugger_add(const struct funcpatch_module *module);
void funcpatch_debugger_remove(const struct funcpatch_module *module);

#endif
