/* Memory of commands that read recordings: allocations last as long as the enclosing work, and a
 * failed allocation ends that work.  Callers neither check for NULL nor free.
 *
 * xalloc_run() runs one work; works nest.  Outside of any, memory lasts until the process ends, and
 * a failed allocation ends the process with one line and status 1.
 *
 * For commands that read only: never in a program under study, in code that holds one stopped, or
 * where processes share the work (tools/check_layers.py).  One thread; after fork() each process
 * has its own. */
#ifndef KYMO_XALLOC_H
#define KYMO_XALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashset;
struct textbuf;

/* Never NULL, also for 0 bytes; xcalloc() returns zeroed memory.  xfree() is for large blocks that
 * are not needed to the end. */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xreallocarray(void *memory, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
void xfree(void *memory);

/* Capacity for at least need items of item_size: items itself, or its larger replacement. *capacity
 * counts items. */
void *xgrow(void *items, size_t *capacity, size_t need, size_t item_size)
	__attribute__((returns_nonnull));

/* Returns the text; the buffer is then empty. */
char *xtextbuf_take(struct textbuf *text) __attribute__((returns_nonnull));

/* hashset_insert() that cannot fail; the set is released as usual. */
void xhashset_insert(struct hashset *set, uint64_t hash, uint64_t value);

/* True when work ran to its end; false when an allocation failed: the entries of xundo_push() since
 * then were undone, last first.  Either way all memory allocated in it is freed. */
bool xalloc_run(void (*work)(void *context), void *context);

/* For allocations made in another way that failed. */
_Noreturn void xalloc_lack(void);

/* Checks an allocation of another function that can only fail for lack of memory. */
static inline void xneed(bool is_there)
{
	if (!is_there)
		xalloc_lack();
}

/* What is undone when an allocation fails, such as an incomplete file.  The entry is in the
 * caller's frame, which pops it before it returns; pops go in reverse order. */
struct xundo {
	void (*undo)(void *context);
	void *context;
	struct xundo *outer;
};
void xundo_push(struct xundo *entry, void (*undo)(void *context), void *context);
void xundo_pop(struct xundo *entry);

#endif
