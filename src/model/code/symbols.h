/* Names of the variables and functions at addresses of a process.
 *
 * Symbols come from the modules' files as they are now, if their build ids are the recorded ones,
 * or from their separate debug files; each is read once, when first needed.  Needs libelf; without
 * it nothing has a name.  Not thread-safe. */
#ifndef KYMO_SYMBOLS_H
#define KYMO_SYMBOLS_H

#include "model/recording/recording.h"
#include "object/symbols/symbol_table.h"

struct symbols;

struct symbols *symbols_new(void); /* NULL = out of memory */
void symbols_free(struct symbols *symbols);
/* Query the servers of $DEBUGINFOD_URLS for the symbols of stripped files; off by default. */
void symbols_use_debuginfod(struct symbols *symbols);

/* The module last seen at an address, NULL = none. */
const struct module *symbols_module_at(const struct recording *recording, uint64_t address);

/* The symbol that covers an address of a module.  The name, symbols_readable(), belongs to
 * symbols.  A stub that calls f through the loader is "f@plt". */
bool symbols_find(struct symbols *symbols, const struct module *module, enum symbol_kind kind,
		  uint64_t address, const char **name_out, uint64_t *offset_out);

/* The module has a table of all its symbols, its own or in a debug file. */
bool symbols_are_whole(struct symbols *symbols, const struct module *module);

/* A linker's name as its programmer would write it: demangled, without the suffixes that the
 * compiler adds for parts and clones of a function, or the linker for its version.  Belongs to
 * symbols, or is name itself. */
const char *symbols_readable(struct symbols *symbols, const char *name);
/* The same for a name in the file at path, whose file name can help to choose the language. */
const char *symbols_readable_in(struct symbols *symbols, const char *path, const char *name);

/* "&table_lock", "&table+16", in a module without symbols "libx.so+0x4060": the object at an
 * address of the recorded process.  The caller frees; NULL = in no module. */
char *symbols_describe(struct symbols *symbols, const struct recording *recording,
		       uint64_t address);

/* Replace addresses of static objects by their names, "(&table_lock)", in the arguments of the
 * regions with KYMO_REGION_OBJECT; in a module without symbols by "(libx.so+0x4060)".  Other
 * addresses stay. */
void symbols_name_objects(struct symbols *symbols, struct recording *recording);

/* After it: joined threads and conditions without a name lose their addresses, which only show that
 * there are several.  Addresses of locks stay: which lock is contended matters. */
void recording_group_objects(struct recording *recording);

#endif
