/* Memory of commands that read, in one list per work.
 *
 * Memory that a work allocated elsewhere is not freed when it ends early: the process ends soon. */
#include "command/xalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashset.h"
#include "base/text/textbuf.h"

struct block { /* in front of each piece of memory */
	struct block *next, **link;
	_Alignas(max_align_t) char memory[];
};

struct scope { /* one work */
	struct block *blocks;
	struct xundo *undos; /* those before it */
	struct scope *outer;
	jmp_buf end;
};

static struct scope outermost; /* without an end to jump to */
static struct scope *current = &outermost;
static struct xundo *undos;

static void link_block(struct block *block)
{
	block->next = current->blocks;
	block->link = &current->blocks;
	if (block->next)
		block->next->link = &block->next;
	current->blocks = block;
}

static void unlink_block(struct block *block)
{
	*block->link = block->next;
	if (block->next)
		block->next->link = block->link;
}

static struct block *block_of(void *memory)
{
	return (struct block *)((char *)memory - offsetof(struct block, memory));
}

static void scope_release(struct scope *scope)
{
	while (scope->blocks) {
		struct block *block = scope->blocks;

		scope->blocks = block->next;
		free(block);
	}
	current = scope->outer;
}

_Noreturn void xalloc_lack(void)
{
	while (undos != current->undos) {
		struct xundo *entry = undos;

		undos = entry->outer;
		entry->undo(entry->context);
	}
	if (current->outer)
		longjmp(current->end, 1);
	fflush(stdout);
	fputs("kymo: out of memory\n", stderr);
	exit(EXIT_FAILURE);
}

bool xalloc_run(void (*work)(void *context), void *context)
{
	struct scope scope = {.undos = undos, .outer = current};
	bool is_done = setjmp(scope.end) == 0;

	if (is_done) {
		current = &scope;
		work(context);
	}
	scope_release(&scope);
	return is_done;
}

void xundo_push(struct xundo *entry, void (*undo)(void *context), void *context)
{
	*entry = (struct xundo){undo, context, undos};
	undos = entry;
}

void xundo_pop(struct xundo *entry)
{
	undos = entry->outer;
}

/* The bytes of a block; fails as an allocation does when they overflow. */
static size_t block_bytes(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(struct block), &bytes) || bytes > PTRDIFF_MAX)
		xalloc_lack();
	return bytes;
}

void *xmalloc(size_t size)
{
	struct block *block = malloc(block_bytes(1, size));

	if (!block)
		xalloc_lack();
	link_block(block);
	return block->memory;
}

void *xcalloc(size_t count, size_t size)
{
	struct block *block = calloc(1, block_bytes(count, size));

	if (!block)
		xalloc_lack();
	link_block(block);
	return block->memory;
}

void *xreallocarray(void *memory, size_t count, size_t size)
{
	size_t bytes = block_bytes(count, size);
	struct block *grown;

	if (!memory)
		return xmalloc(bytes - sizeof(struct block));
	grown = realloc(block_of(memory), bytes);
	if (!grown)
		xalloc_lack();
	/* The block may have moved. */
	*grown->link = grown;
	if (grown->next)
		grown->next->link = &grown->next;
	return grown->memory;
}

void xfree(void *memory)
{
	if (!memory)
		return;
	unlink_block(block_of(memory));
	free(block_of(memory));
}

char *xstrdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(xmalloc(size), text, size);
}

char *xasprintf(const char *format, ...)
{
	va_list arguments, again;
	char *text;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		xalloc_lack();
	text = xmalloc((size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void *xgrow(void *items, size_t *capacity, size_t need, size_t item_size)
{
	size_t wanted = *capacity + *capacity / 2 + 8;

	if (items && need <= *capacity)
		return items;
	if (wanted < need)
		wanted = need;
	items = xreallocarray(items, wanted, item_size);
	*capacity = wanted;
	return items;
}

char *xtextbuf_take(struct textbuf *text)
{
	char *taken;

	if (text->has_failed) {
		textbuf_release(text);
		xalloc_lack();
	}
	taken = xstrdup(text->data ? text->data : "");
	textbuf_release(text);
	return taken;
}

void xhashset_insert(struct hashset *set, uint64_t hash, uint64_t value)
{
	if (!hashset_insert(set, hash, value))
		xalloc_lack();
}
