/* Names of what lies at an address of a process: variables and functions of its modules.
 *
 * Symbols come from the files as they are now, of which the build id must be the one that
 * was recorded, or from their separate debug files; each is read once, when it is asked
 * for.  Needs libelf; without it nothing has a name.  Not thread-safe. */
#ifndef KYMO_SYMBOLS_H
#define KYMO_SYMBOLS_H

#include "model/recording/recording.h"
#include "object/symbols/symbol_table.h"

struct symbols;

struct symbols *symbols_new(void); /* NULL = out of memory */
void symbols_free(struct symbols *symbols);
/* Ask the servers of $DEBUGINFOD_URLS for the symbols of stripped files; else never. */
void symbols_use_debuginfod(struct symbols *symbols);

/* The module that was seen last at an address, NULL = none. */
const struct module *symbols_module_at(const struct recording *recording, uint64_t address);

/* The symbol that covers an address of a module.  The name, symbols_readable(), belongs to
 * symbols.  A stub that calls f through the loader is "f@plt". */
bool symbols_find(struct symbols *symbols, const struct module *module, enum symbol_kind kind,
		  uint64_t address, const char **name_out, uint64_t *offset_out);

/* The module has a table of all its symbols, its own or in a debug file. */
bool symbols_are_whole(struct symbols *symbols, const struct module *module);

/* A linker's name as its programmer would write it: demangled, without what the compiler adds
 * for parts and variants of a function, or the linker for its version.  Belongs to symbols,
 * or is name itself. */
const char *symbols_readable(struct symbols *symbols, const char *name);
/* The same of a name in the file at path, whose own name can tell more. */
const char *symbols_readable_in(struct symbols *symbols, const char *path, const char *name);

/* "&table_lock", "&table+16", in a module without symbols "libx.so+0x4060": what lies at an
 * address of the recorded process.  The caller frees; NULL = in no module. */
char *symbols_describe(struct symbols *symbols, const struct recording *recording,
		       uint64_t address);

/* Put the names of static objects in the place of their addresses, "(&table_lock)", in the
 * arguments of the regions with KYMO_REGION_OBJECT; in a module without symbols
 * "(libx.so+0x4060)".  Elsewhere the address stays. */
void symbols_name_objects(struct symbols *symbols, struct recording *recording);

/* Behind it: threads that were joined and conditions that have no name lose their addresses, which
 * say nothing but that there are several.  Those of locks stay: which of them is fought for is the
 * question. */
void recording_group_objects(struct recording *recording);

#endif
