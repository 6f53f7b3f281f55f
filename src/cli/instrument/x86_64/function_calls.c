/* Calls in x86-64 code: "call" and "jmp" with a displacement, decoded from each function's first
 * byte on.  Indirect calls are not resolved. */
#include "cli/instrument/function_calls.h"

#include <stdlib.h>
#include <string.h>

#include "object/code/x86_64/instruction.h"
#include "object/symbols/symbol_table.h"
#include "patch/analyse/file/patchmodule.h"

#define MAP_ONE_BYTE  1u
#define MAP_TWO_BYTES 2u
#define NAME_MAX_SIZE 4096u

struct finder {
	const struct patch_module *module;
	const struct plan *plan;
	const struct function_rules *rules;
	struct symbols *symbols;
	struct symbol_table table;
	/* Per symbol of the table: 0 = unknown, 1 = not a callee, 2 = a callee. */
	uint8_t *known;
};

/* "f@plt" calls f. */
static bool is_callee_name(const struct finder *finder, const char *name)
{
	size_t length = strcspn(name, "@");
	char bare[NAME_MAX_SIZE];
	const char *readable;

	if (length == 0 || length >= sizeof(bare))
		return false;
	memcpy(bare, name, length);
	bare[length] = '\0';
	if (function_rules_is_callee(finder->rules, bare))
		return true;
	readable = symbols_readable(finder->symbols, bare);
	return readable && function_rules_is_callee(finder->rules, readable);
}

static bool is_callee(struct finder *finder, uint64_t target)
{
	const struct symbol *symbol = symbol_table_find(&finder->table, SYMBOL_FUNCTION, target);
	uint8_t *known;

	if (!symbol || symbol->start != target)
		return false;
	known = &finder->known[symbol - finder->table.symbols[SYMBOL_FUNCTION]];
	if (*known == 0)
		*known = is_callee_name(finder, finder->table.names + symbol->name) ? 2 : 1;
	return *known == 2;
}

/* A call, a jump or a conditional jump with a displacement of four bytes. */
static bool calls_is_direct(const struct instruction *instruction)
{
	if (instruction->is_vector)
		return false;
	if (instruction->map == MAP_ONE_BYTE)
		return instruction->opcode == 0xe8 || instruction->opcode == 0xe9;
	return instruction->map == MAP_TWO_BYTES && (instruction->opcode & 0xf0) == 0x80;
}

static bool calls_one(struct finder *finder, const struct plan_function *function)
{
	const unsigned char *code =
		patchmodule_at(finder->module, function->address, function->size);
	struct instruction instruction;

	for (uint64_t at = 0; code && at < function->size; at += instruction.length) {
		if (!instruction_decode(code + at, function->size - at, &instruction))
			break;
		if (calls_is_direct(&instruction) &&
		    is_callee(finder, function->address + at + instruction.length +
					      (uint64_t)instruction.immediate))
			return true;
	}
	return false;
}

enum kymo_status function_calls_find(const char *path, const struct plan *plan,
				     const struct function_rules *rules, struct symbols *symbols,
				     bool **calls_out, struct problem *problem)
{
	struct finder finder = {.plan = plan, .rules = rules, .symbols = symbols};
	struct patch_module *module = NULL;
	enum kymo_status status = patchmodule_open(path, &module, problem);
	bool *calls;

	if (status < 0)
		return status;
	finder.module = module;
	symbol_table_read(path, NULL, false, &finder.table);
	finder.known = calloc(finder.table.counts[SYMBOL_FUNCTION] + 1, 1);
	calls = calloc((size_t)plan->header->function_count + 1, sizeof(*calls));
	if (finder.known && calls) {
		for (size_t i = 0; i < plan->header->function_count; i++)
			calls[i] = calls_one(&finder, &plan->functions[i]);
		*calls_out = calls;
	} else {
		free(calls);
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	free(finder.known);
	symbol_table_release(&finder.table);
	patchmodule_close(module);
	return status;
}
