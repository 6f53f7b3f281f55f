/* Which function of one compilation unit executes at an address: its functions, and functions
 * inlined into them, as segments that do not overlap.  The DWARF may be damaged: depth and number
 * of the DIEs read are limited. */
#ifndef KYMO_DEBUG_SCOPES_DW_H
#define KYMO_DEBUG_SCOPES_DW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define DEBUG_SCOPE_NONE UINT32_MAX

struct debug_scope {
	Dwarf_Die die;
	uint32_t parent; /* index of the enclosing one, or DEBUG_SCOPE_NONE */
	uint16_t depth;	 /* number of functions it is inlined into */
	bool is_inlined;
	bool is_computed;     /* qualified_name was computed */
	char *qualified_name; /* NULL = has none */
};

/* A namespace, class or function that others are declared in. */
struct debug_context {
	Dwarf_Die die;
	uint32_t parent; /* index, or DEBUG_SCOPE_NONE */
};

struct debug_declaration { /* of a function whose code is elsewhere */
	Dwarf_Off offset;
	uint32_t context;
};

struct debug_segment { /* up to the start of the next */
	uint64_t start;
	uint32_t scope;
};

struct debug_scopes {
	struct debug_scope *scopes;
	size_t scope_count, scope_capacity;
	struct debug_segment *segments;
	size_t segment_count, segment_capacity;
	struct debug_context *contexts;
	size_t context_count, context_capacity;
	struct debug_declaration *declarations; /* by offset */
	size_t declaration_count, declaration_capacity;
};

/* Of the unit whose DIE is root.  When out of memory the rest is skipped. */
void debug_scopes_read(struct debug_scopes *scopes, Dwarf_Die *root);
void debug_scopes_release(struct debug_scopes *scopes);

/* The innermost scope at value, or DEBUG_SCOPE_NONE. */
uint32_t debug_scopes_find(const struct debug_scopes *scopes, uint64_t value);

#endif
