/* The jump is written in one of the two ways of codepages.h. */
#include "object/code/detour.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "object/code/detourcode.h"
#include "platform/code/codememory.h"
#include "platform/code/codepages.h"
#include "platform/code/codespace.h"
#include "platform/code/rawmemory.h"
#include "platform/proc/proc_file.h"

#define MARGIN UINT64_C(0x10000) /* at the end of a jump's reach */

static uint64_t detour_address(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

/* It is code in a private mapping. */
static bool detour_is_code(uint64_t address)
{
	struct texts texts;

	return texts_find_at(address, DETOUR_JUMP, &texts) == 0 &&
	       texts_are_code(&texts, address, 1) &&
	       texts_are_code(&texts, address + DETOUR_JUMP - 1, 1);
}

static uint64_t detour_room(uint64_t address)
{
	struct space_request wish = {.size = TEXTS_PAGE, .near = address};

	wish.low = address > DETOURCODE_REACH ? address - DETOURCODE_REACH + MARGIN : MARGIN;
	wish.high = address + DETOURCODE_REACH - MARGIN;
	return space_reserve(&wish);
}

const char *detour_unavailable(void)
{
	return detourcode_unavailable;
}

const char *detour_prepare(struct detour *detour, const void *function, size_t size)
{
	struct detourcode code;
	const char *reason = detourcode_read(function, size, &code);
	unsigned char *entry;

	if (reason)
		return reason;
	entry = (unsigned char *)(uintptr_t)function + code.pad;
	if (!detour_is_code(detour_address(entry)))
		return "the text of the function is not private";
	*detour = (struct detour){.moved = code.moved};
	detour->page = detour_room(detour_address(entry));
	if (!detour->page)
		return "there is no free address space near the function";
	memcpy(detour->before, entry, DETOUR_JUMP);
	detourcode_jump(detour->after, detour_address(entry), detour->page);
	detour->original = (const void *)(uintptr_t)(detour->page + DETOURCODE_SECOND);
	detour->entry = entry;
	return NULL;
}

/* Write the page: no thread is in it, as no jump leads there. */
static int detour_aim(struct detour *detour, const void *target)
{
	unsigned char *page = (unsigned char *)(uintptr_t)detour->page;
	long result = raw_protect(detour->page, TEXTS_PAGE, PROT_READ | PROT_WRITE);

	if (result < 0)
		return (int)-result;
	detour->target = NULL;
	detourcode_make(page, detour->page, detour->entry, detour->moved,
			detour_address(detour->entry) + detour->moved, detour_address(target));
	raw_flush(detour->page, DETOURCODE_BYTES);
	result = raw_protect(detour->page, TEXTS_PAGE, PROT_READ | PROT_EXEC);
	if (result < 0)
		return (int)-result;
	detour->target = target;
	return 0;
}

static int detour_put_by_protection(uint64_t address, const unsigned char *bytes)
{
	struct texts texts;
	uint64_t word = 0;
	int result = texts_find_at(address, DETOUR_JUMP, &texts);

	if (result == 0)
		result = texts_open(&texts, true);
	if (result != 0)
		return result;
	memcpy(&word, bytes, DETOUR_JUMP);
	texts_put(&texts, address, word, DETOUR_JUMP);
	return texts_close(&texts);
}

static int detour_put(const struct detour *detour, const unsigned char *bytes)
{
	const uint64_t address = detour_address(detour->entry);
	int result = memory_learn();

	if (result == 0)
		result = memory_poke(address, bytes, DETOUR_JUMP);
	if (result != 0 && proc_thread_count(PROC_SELF) == 1)
		result = detour_put_by_protection(address, bytes);
	return result == 0 && memcmp(detour->entry, bytes, DETOUR_JUMP) != 0 ? EIO : result;
}

int detour_write(struct detour *detour, const void *target)
{
	int result = 0;

	if (detour->is_written)
		return detour->target == target ? 0 : EBUSY;
	if (memcmp(detour->entry, detour->before, DETOUR_JUMP) != 0)
		return EBUSY;
	if (detour->target != target)
		result = detour_aim(detour, target);
	if (result == 0)
		result = detour_put(detour, detour->after);
	detour->is_written = result == 0;
	return result;
}

int detour_take_back(struct detour *detour)
{
	int result;

	if (!detour->is_written)
		return 0;
	if (memcmp(detour->entry, detour->after, DETOUR_JUMP) != 0)
		return EBUSY;
	result = detour_put(detour, detour->before);
	detour->is_written = result != 0;
	return result;
}
