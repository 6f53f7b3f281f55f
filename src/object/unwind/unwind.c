/* The processor-independent part of unwinding this process. */
#include "object/unwind/unwind.h"

#include <string.h>

#include "object/unwind/epilogue.h"
#include "object/unwind/rowcache.h"
#include "object/unwind/textmap.h"
#include "object/unwind/thunk.h"
#include "object/unwind/unwind_rows.h"
#include "platform/readable.h"

void unwind_learn(void)
{
	textmap_learn();
}

bool unwind_copy(uint64_t address, void *to, size_t size)
{
	return readable_copy(address, to, size);
}

bool unwind_function(uint64_t pc, uint64_t *start_out, uint64_t *end_out)
{
	const struct textmap_module *module = textmap_current(pc);
	struct cfi_row row;

	return module && cfi_find(&module->section, pc, &row, start_out, end_out);
}

/* The readable code around an address; NULL = there is none. */
static const struct textmap_text *unwind_find_text(const struct textmap_module *module,
						   uint64_t address)
{
	for (unsigned i = 0; i < module->text_count; i++)
		if (address >= module->texts[i].start && address < module->texts[i].end)
			return &module->texts[i];
	return NULL;
}

static bool find_by_code(const struct textmap_text *text, uint64_t next, struct cfi_row *row)
{
	return text && unwind_row_by_code((const uint8_t *)(uintptr_t)next, text->end - next, row);
}

static bool find_by_epilogue(const struct textmap_text *text, uint64_t next, uint64_t generation,
			     struct cfi_row *row)
{
	return text && unwind_row_by_epilogue((const uint8_t *)(uintptr_t)next, next - text->start,
					      text->end - next, generation, row);
}

#define THUNK_BYTES 40u

/* Code outside of modules: if it only jumps on, its return address is on the stack. */
static uint64_t find_thunk(uint64_t at)
{
	uint64_t size = READABLE_PAGE - (at & (READABLE_PAGE - 1));
	uint8_t code[THUNK_BYTES];
	struct cfi_row row;

	if (size > sizeof(code))
		size = sizeof(code);
	memset(&row, 0, sizeof(row));
	return readable_peek(at, code, size) && unwind_row_by_thunk(code, size, &row)
		       ? unwind_row_word(&row)
		       : 0;
}

/* A return address at a function's beginning and after no other function: no call is before it.
 * Stacks made by hand begin like that, as makecontext() does. */
static bool is_made_beginning(const struct textmap_module *module, uint64_t next)
{
	struct cfi_row row;
	uint64_t start;

	return cfi_find(&module->section, next, &row, &start, NULL) && start == next;
}

/* By its tables alone, and not cached: nothing would report that the module is unloaded. */
static uint64_t find_without_cache(const struct textmap_module *module, uint64_t at)
{
	struct cfi_row row;

	memset(&row, 0, sizeof(row));
	return cfi_find(&module->section, at, &row, NULL, NULL) ? unwind_row_word(&row)
								: UNWIND_ROW_UNSUPPORTED;
}

uint64_t unwind_row_find(uint64_t at, uint64_t next)
{
	uint64_t generation = rowcache_now(), word;
	const struct textmap_module *module = textmap_current(at);
	const struct textmap_text *text;
	struct textmap_module from_loader;
	struct cfi_row row;

	if (!module)
		return textmap_from_loader(at, &from_loader) ? find_without_cache(&from_loader, at)
		       : textmap_find(at) ? UNWIND_ROW_UNSUPPORTED /* of an unloaded one */
		       : at == next	  ? find_thunk(at)
					  : 0;
	text = unwind_find_text(module, next);
	memset(&row, 0, sizeof(row));
	/* First, since the address before a signal's return may be another function's. */
	if (find_by_code(text, next, &row) || cfi_find(&module->section, at, &row, NULL, NULL))
		word = unwind_row_word(&row);
	else if (at != next && is_made_beginning(module, next))
		word = unwind_row_word(&(struct cfi_row){.cfa = CFI_CFA_OUTERMOST});
	else if (find_by_epilogue(text, next, generation, &row))
		word = unwind_row_word(&row);
	else
		word = 0;
	rowcache_put(at, generation, module->is_late ? word | UNWIND_ROW_LATE : word);
	return word;
}

bool unwind_is_current(uint64_t address, uint64_t generation, uint64_t *start_out,
		       uint64_t *end_out)
{
	const struct textmap_module *module = textmap_current(address);

	if (!module || rowcache_now() != generation)
		return false;
	*start_out = module->start;
	*end_out = module->end;
	return true;
}

bool unwind_row_register(uint64_t pc, unsigned number, int32_t *offset_out)
{
	const struct textmap_module *module = textmap_current(pc);
	struct textmap_module from_loader;

	if (!module && textmap_from_loader(pc, &from_loader))
		module = &from_loader;
	return module && cfi_find_register(&module->section, pc, number, offset_out);
}

bool unwind_is_code(uint64_t address)
{
	struct textmap_module from_loader;

	return textmap_is_code(address) || textmap_from_loader(address, &from_loader);
}

bool unwind_has_tables(uint64_t address)
{
	const struct textmap_module *module = textmap_find(address);

	return module && module->section.frames;
}
