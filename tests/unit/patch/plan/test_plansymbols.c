/* Names of a plan's code: every jump out of a function leads to a symbol that has its name. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "patch/analyse/patchanalyse.h"
#include "patch/plan/planmake.h"
#include "patch/plan/plansymbols.h"
#include "patch/read/planread.h"

struct made { /* of this test itself */
	struct patch_module *module;
	unsigned char *bytes;
	size_t size;
	struct plan plan;
};

static int make(void **state)
{
	static struct made made;
	struct planmake_options options = {.kind = {PATCH_COST_FULL, 0}};
	struct problem problem;

	if (patchmodule_open("/proc/self/exe", &made.module, &problem) != KYMO_OK ||
	    patchanalyse(made.module, &problem) != KYMO_OK ||
	    plan_make(made.module, &options, &made.bytes, &made.size, &problem) != KYMO_OK ||
	    !plan_read(made.bytes, made.size, false, &made.plan))
		return -1;
	*state = &made;
	return 0;
}

static int release(void **state)
{
	struct made *made = *state;

	free(made->bytes);
	patchmodule_close(made->module);
	return 0;
}

static const Elf64_Sym *symbol_at(const struct plan *plan, uint64_t value)
{
	const struct plan_header *header = plan->header;
	const Elf64_Sym *symbols = (const void *)(plan->bytes + header->symbols_offset);

	for (uint64_t i = 1; i < header->symbols_size / sizeof(*symbols); i++)
		if (value - symbols[i].st_value < symbols[i].st_size)
			return &symbols[i];
	return NULL;
}

static uint64_t target_of(const struct plan *plan, const struct plan_write *write)
{
	int32_t distance;

	memcpy(&distance, write->after + write->distance_at, sizeof(distance));
	return plan_write_address(plan->header, write) + write->size + (uint64_t)(int64_t)distance;
}

static void jumps_lead_to_names(void **state)
{
	const struct plan *plan = &((const struct made *)*state)->plan;
	const struct plan_header *header = plan->header;
	const char *texts =
		(const char *)plan->bytes + header->symbols_offset + header->symbols_size;
	unsigned checked = 0;

	for (uint64_t i = 0; i < header->function_count; i++) {
		const struct plan_function *function = &plan->functions[i];
		const struct plan_write *write = &plan->writes[function->first_write];
		const char *name = plan->names + function->name;
		const Elf64_Sym *symbol;

		if (function->write_count == 0 || write->distance_at == 0 || name[0] == '\0')
			continue;
		symbol = symbol_at(plan, target_of(plan, write) - header->code_address);
		assert_non_null(symbol);
		assert_true(symbol->st_name + strlen(name) < header->symbol_texts_size);
		assert_memory_equal(texts + symbol->st_name, name, strlen(name));
		assert_string_equal(texts + symbol->st_name + strlen(name), PLAN_SYMBOL_SUFFIX);
		checked++;
	}
	assert_true(checked > 10);
}

static void names_are_where_a_page_begins(void **state)
{
	struct made *made = *state;
	struct plan_header *header = (struct plan_header *)(void *)made->bytes;
	uint64_t kept = header->symbols_offset;
	struct plan plan;

	assert_int_equal(kept % 4096, 0);
	header->symbols_offset = kept + 16;
	assert_false(plan_read(made->bytes, made->size, true, &plan));
	header->symbols_offset = header->size;
	assert_false(plan_read(made->bytes, made->size, true, &plan));
	header->symbols_offset = kept;
	header->symbols_size += 1u << 20;
	assert_false(plan_read(made->bytes, made->size, true, &plan));
	header->symbols_size -= 1u << 20;
	assert_true(plan_read(made->bytes, made->size, true, &plan));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_lead_to_names),
		cmocka_unit_test(names_are_where_a_page_begins),
	};

	return cmocka_run_group_tests(tests, make, release);
}
