/* The two ways of writing to text: by its protection, and through /proc/self/mem.
 *
 * With the latter, one write per place would be a hundred thousand system calls for a large
 * library.  So writes are buffered per page, with the bytes between them, until another page needs
 * the buffer: one system call per page, as plans proceed through text in order. */
#include "platform/code/codepages.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#include "base/signalmask.h"
#include "platform/code/codememory.h"
#include "platform/code/rawmemory.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_maps.h"

#define JUMP_BYTES 5u  /* of most writes */
#define SLOTS	   16u /* functions have parts elsewhere, whose pages alternate with theirs */

struct texts_pages {
	unsigned char bytes[SLOTS][TEXTS_PAGE];
	struct slot {
		uint64_t page;	   /* 0 = none */
		unsigned from, to; /* of the page */
	} slots[SLOTS];
};

static bool texts_take_mapping(const struct proc_map *mapping, const char *path, void *context)
{
	struct texts *texts = context;
	struct texts_mapping *kept = &texts->mapping[texts->count];

	(void)path;
	if (mapping->start >= texts->end)
		return false;
	if (mapping->end <= texts->start)
		return true;
	if (texts->count == TEXTS_MAX) {
		texts->is_too_many = true;
		return false;
	}
	kept->start = mapping->start > texts->start ? mapping->start : texts->start;
	kept->end = mapping->end < texts->end ? mapping->end : texts->end;
	kept->protection = mapping->protection;
	if (mapping->is_shared)
		kept->protection &= ~PROT_EXEC;
	texts->count++;
	return true;
}

/* Segments need not begin at a page boundary (lld's do not); the kernel protects whole pages. */
int texts_find_at(uint64_t address, uint64_t size, struct texts *texts)
{
	int result;

	texts->start = address & ~(uint64_t)(TEXTS_PAGE - 1);
	texts->end = address + size;
	texts->count = 0;
	texts->is_too_many = false;
	result = proc_maps_each(PROC_SELF, NULL, 0, texts_take_mapping, texts);
	return result == 0 && texts->is_too_many ? E2BIG : result;
}

bool texts_are_code(const struct texts *texts, uint64_t address, uint64_t size)
{
	for (unsigned i = 0; i < texts->count; i++) {
		const struct texts_mapping *text = &texts->mapping[i];

		if (address >= text->start && address < text->end)
			return (text->protection & PROT_EXEC) && size <= text->end - address;
	}
	return false;
}

/* Some policies do not allow a changed page of a file to become executable again, which fails only
 * after the change: tested with an unused page. */
static int try_protection(void)
{
	long file = raw_call6(SYS_openat, AT_FDCWD, (long)"/proc/self/exe", O_RDONLY | O_CLOEXEC, 0,
			      0, 0);
	long page, result;

	if (file < 0)
		return (int)-file;
	page = raw_map(0, TEXTS_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, (int)file, 0);
	raw_call(SYS_close, file, 0, 0);
	if (page < 0)
		return (int)-page;
	result = raw_protect((uint64_t)page, TEXTS_PAGE, PROT_READ | PROT_WRITE);
	if (result == 0) {
		*(volatile unsigned char *)(uintptr_t)page = 0;
		result = raw_protect((uint64_t)page, TEXTS_PAGE, PROT_READ | PROT_EXEC);
	}
	raw_unmap((uint64_t)page, TEXTS_PAGE);
	return (int)-result;
}

/* Then text is not made writable first: what is allowed for the program's own file may be forbidden
 * for others. */
static bool has_policy(void)
{
	long file = raw_call6(SYS_openat, AT_FDCWD, (long)"/sys/fs/selinux/enforce",
			      O_RDONLY | O_CLOEXEC, 0, 0, 0);

	if (file >= 0)
		raw_call(SYS_close, file, 0, 0);
	return file >= 0;
}

static bool can_protect(void)
{
	static int known; /* 1, or -1: it does not work */
	int can = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (can == 0) {
		can = try_protection() == 0 ? 1 : -1;
		__atomic_store_n(&known, can, __ATOMIC_RELAXED);
	}
	return can > 0;
}

static bool pages_is_plain(const struct texts_mapping *text)
{
	return (text->protection & (PROT_WRITE | PROT_EXEC)) == PROT_EXEC;
}

static void make_executable(const struct texts *texts, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct texts_mapping *text = &texts->mapping[i];

		if (pages_is_plain(text))
			raw_protect(text->start, text->end - text->start, text->protection);
	}
}

static int make_writable(const struct texts *texts)
{
	for (unsigned i = 0; i < texts->count; i++) {
		const struct texts_mapping *text = &texts->mapping[i];
		long result = pages_is_plain(text)
				      ? raw_protect(text->start, text->end - text->start,
						    PROT_READ | PROT_WRITE)
				      : 0;

		if (result < 0) {
			make_executable(texts, i);
			return (int)-result;
		}
	}
	return 0;
}

/* No signal handler of the program runs in between. */
static int open_by_protection(struct texts *texts)
{
	const uint64_t held = signalmask_blocked();
	int result = can_protect() ? 0 : EACCES;

	if (result != 0)
		return result;
	texts->pages = NULL;
	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&held, (long)&texts->signals, sizeof(held),
		  0, 0);
	result = make_writable(texts);
	if (result != 0)
		raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&texts->signals, 0, sizeof(held),
			  0, 0);
	return result;
}

static void close_by_protection(struct texts *texts)
{
	make_executable(texts, texts->count);
	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&texts->signals, 0, sizeof(texts->signals),
		  0, 0);
}

static void put_in_place(struct texts *texts, struct slot *slot)
{
	const unsigned char *bytes = texts->pages->bytes[slot - texts->pages->slots];
	int result;

	if (slot->page == 0)
		return;
	result = memory_put(texts->memory, slot->page + slot->from, bytes + slot->from,
			    slot->to - slot->from);
	if (texts->error == 0)
		texts->error = result;
	slot->page = 0;
}

/* The slot of the page in which [from, to) is about to be written; the bytes between it and the
 * slot's existing range are included. */
static unsigned char *pages_reserve(struct texts *texts, uint64_t page, unsigned from, unsigned to)
{
	unsigned index = (unsigned)(page / TEXTS_PAGE) % SLOTS;
	struct slot *slot = &texts->pages->slots[index];
	unsigned char *bytes = texts->pages->bytes[index];
	const unsigned char *text = (const unsigned char *)(uintptr_t)page;

	if (slot->page != page) {
		put_in_place(texts, slot);
		*slot = (struct slot){page, from, to};
	}
	if (from > slot->to)
		raw_copy(bytes + slot->to, text + slot->to, from - slot->to);
	if (to < slot->from)
		raw_copy(bytes + to, text + to, slot->from - to);
	if (from < slot->from)
		slot->from = from;
	if (to > slot->to)
		slot->to = to;
	return bytes;
}

static void pages_put_part(struct texts *texts, uint64_t at, uint64_t bytes, unsigned size)
{
	unsigned from = at % TEXTS_PAGE;
	unsigned char *slot_bytes = pages_reserve(texts, at - from, from, from + size);

	for (unsigned i = 0; i < size; i++)
		slot_bytes[from + i] = (unsigned char)(bytes >> 8 * i);
}

/* The first byte is the lowest. */
static void pages_store(unsigned char *at, uint64_t bytes, unsigned size)
{
	if (size == JUMP_BYTES) {
		raw_word_put(at, (uint32_t)bytes);
		at[4] = (unsigned char)(bytes >> 32);
		return;
	}
	for (unsigned i = 0; i < size; i++)
		at[i] = (unsigned char)(bytes >> 8 * i);
}

void texts_put(struct texts *texts, uint64_t at, uint64_t bytes, unsigned size)
{
	unsigned here = TEXTS_PAGE - at % TEXTS_PAGE;

	if (!texts->pages) {
		pages_store((unsigned char *)(uintptr_t)at, bytes, size);
		raw_flush(at, size);
	} else if (size <= here) {
		pages_put_part(texts, at, bytes, size);
	} else {
		pages_put_part(texts, at, bytes, here);
		pages_put_part(texts, at + here, bytes >> 8 * here, size - here);
	}
}

/* Execute-only text is made readable while it is changed. */
static void make_readable(const struct texts *texts, bool is_readable)
{
	for (unsigned i = 0; i < texts->count; i++) {
		const struct texts_mapping *text = &texts->mapping[i];

		if (pages_is_plain(text) && !(text->protection & PROT_READ))
			raw_protect(text->start, text->end - text->start,
				    text->protection | (is_readable ? PROT_READ : 0));
	}
}

static int open_by_memory(struct texts *texts)
{
	int result = memory_learn();
	long pages;

	if (result != 0)
		return result;
	texts->memory = memory_open();
	if (texts->memory < 0)
		return (int)-texts->memory;
	pages = raw_map(0, sizeof(*texts->pages), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages < 0) {
		raw_call(SYS_close, texts->memory, 0, 0);
		return (int)-pages;
	}
	texts->pages = (struct texts_pages *)pages;
	make_readable(texts, true);
	return 0;
}

static void close_by_memory(struct texts *texts)
{
	for (unsigned i = 0; i < SLOTS; i++)
		put_in_place(texts, &texts->pages->slots[i]);
	make_readable(texts, false);
	raw_unmap((uint64_t)(uintptr_t)texts->pages, sizeof(*texts->pages));
	raw_call(SYS_close, texts->memory, 0, 0);
}

int texts_open(struct texts *texts, bool is_alone)
{
	bool is_protected_first = is_alone && !has_policy();

	texts->error = 0;
	if (is_protected_first)
		return open_by_protection(texts) == 0 ? 0 : open_by_memory(texts);
	return open_by_memory(texts) == 0 ? 0 : open_by_protection(texts);
}

int texts_close(struct texts *texts)
{
	if (texts->pages)
		close_by_memory(texts);
	else
		close_by_protection(texts);
	return texts->error;
}
