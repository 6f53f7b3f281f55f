/* Names for a plan's code, for debuggers: an ELF symbol table and its string table. Values are
 * relative to the code's beginning.
 *
 * One thread; memory belongs to the symbols until plansymbols_release(). */
#ifndef KYMO_PLANSYMBOLS_H
#define KYMO_PLANSYMBOLS_H

#include "patch/plan/plan.h"
#include "patch/plan/planblob.h"

/* Appended to the name of the function that a trampoline is for: demangled names remain readable
 * ("f(int) [clone .kymo]"), and a breakpoint at a name is one at the function alone. */
#define PLAN_SYMBOL_SUFFIX ".kymo"

struct plan_symbols {
	struct plan_stretch table; /* Elf64_Sym */
	struct plan_stretch texts;
	bool is_failed; /* memory ran out */
};

/* Make symbols for all code of blob, whose cold stretch will be cold bytes after the beginning of
 * the hot one; functions[…].name is an offset in names. */
void plansymbols_make(struct plan_symbols *symbols, const struct plan_blob *blob,
		      const struct plan_function *functions, const char *names, uint64_t cold);
void plansymbols_release(struct plan_symbols *symbols);

#endif
