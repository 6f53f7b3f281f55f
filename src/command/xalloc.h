/* Memory of commands that read: it lasts as long as the work that took it, and lack of it ends
 * that work.  Who takes it asks for nothing and frees nothing.
 *
 * xalloc_run() is the work; it may be inside another.  Outside of any, memory lasts until the
 * process ends, and lack of it ends the process with one line and status 1.
 *
 * For readers alone: never in a program under study, in what holds one still, or where processes
 * share the work (tools/check_layers.py).  One thread; across fork() each has its own. */
#ifndef KYMO_XALLOC_H
#define KYMO_XALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashset;
struct textbuf;

/* Never NULL, also for 0 bytes; xcalloc() is zeroed.  xfree() is for what is large and not needed
 * to the end. */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xreallocarray(void *memory, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
void xfree(void *memory);

/* Room for at least need items of item_size: items itself, or its larger replacement.
 * *capacity counts items. */
void *xgrow(void *items, size_t *capacity, size_t need, size_t item_size)
	__attribute__((returns_nonnull));

/* The text, which is then empty. */
char *xtextbuf_take(struct textbuf *text) __attribute__((returns_nonnull));

/* hashset_insert(); the set is released as ever. */
void xhashset_insert(struct hashset *set, uint64_t hash, uint64_t value);

/* True when work came to its end; false when memory lacked: what was registered with xundo_push()
 * meanwhile was undone, the last first.  Either way all memory taken in it is given back. */
bool xalloc_run(void (*work)(void *context), void *context);

/* Memory lacks, found by who takes it in another way. */
_Noreturn void xalloc_lack(void);

/* What others made, who can fail for lack of memory alone, is there: or memory lacks. */
static inline void xneed(bool is_there)
{
	if (!is_there)
		xalloc_lack();
}

/* What is to be undone where memory lacks: a file that is not whole.  undo lies in the caller's
 * frame, which pops it before it returns; pops go in reverse order. */
struct xundo {
	void (*undo)(void *context);
	void *context;
	struct xundo *outer;
};
void xundo_push(struct xundo *entry, void (*undo)(void *context), void *context);
void xundo_pop(struct xundo *entry);

#endif
