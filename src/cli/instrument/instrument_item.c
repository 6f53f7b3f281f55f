/* The fields of a function in a list: one array, which each format writes in its way. Names are
 * from files that may contain anything. */
#include "cli/instrument/instrument_item.h"

#include <string.h>

#include "base/basename.h"
#include "base/text/plaintext.h"
#include "base/text/utf8.h"
#include "cli/instrument/function_verdict.h"
#include "patch/read/planreadreason.h"

const char *instrument_list_name(enum instrument_list list)
{
	static const char *const names[LIST_COUNT] = {"available", "instrumented", "excluded",
						      "overlapping"};

	return names[list];
}

bool instrument_list_has(enum instrument_list list, const struct function_choice *choice,
			 size_t index)
{
	const struct plan_function *function = &choice->plan.functions[index];
	bool is_taken = choice->taken[index] == CHOICE_TAKEN;

	if (function_is_part(function))
		return false;
	switch (list) {
	case LIST_INSTRUMENTED:
		return is_taken;
	case LIST_EXCLUDED:
		return !is_taken && function->reason != PLAN_OVERLAPPING;
	case LIST_OVERLAPPING:
		return function->reason == PLAN_OVERLAPPING;
	case LIST_AVAILABLE:
	case LIST_COUNT:
		break;
	}
	return true;
}

/* The last list of parameters that is not inside of others. */
size_t instrument_bare_length(const char *name)
{
	const char *end = strrchr(name, ')');
	int depth = 0;

	for (const char *at = end; at && at > name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (depth == 0)
			return (size_t)(at - name);
	}
	return strlen(name);
}

static void item_add(struct instrument_item *item, const struct instrument_field *field)
{
	if (item->field_count < FIELDS_MAX)
		item->fields[item->field_count++] = *field;
}

static const char *way_word(enum plan_way way)
{
	static const char *const words[] = {"none", "exits", "call", "entries", "hook"};

	return words[way <= PLAN_WAY_HOOK ? way : 0];
}

/* Whether hooks that its compiler inserted are used, or removed. */
static const char *hook_word(const struct plan_function *function)
{
	if (function->way == PLAN_WAY_HOOK)
		return "cyg_profile";
	if (function->way == PLAN_WAY_NONE)
		return "none";
	if (function->flags & PLAN_FUNCTION_NOPS)
		return "nops";
	if (function->flags & PLAN_FUNCTION_FENTRY)
		return "fentry";
	return function->flags & PLAN_FUNCTION_MCOUNT ? "mcount" : "none";
}

/* Why it is not recorded, or not fully; "" = it is recorded. */
static const char *reason_text(const struct instrument_item *item)
{
	const struct plan_function *function = &item->choice->plan.functions[item->index];
	enum function_verdict verdict = item->choice->verdicts[item->index];

	if (!function_verdict_takes(verdict))
		return function_verdict_text(verdict, (enum plan_reason)function->reason);
	return function->reason == PLAN_FINE ? ""
					     : plan_reason_text((enum plan_reason)function->reason);
}

void instrument_item_describe(struct instrument_item *item)
{
	const struct plan_function *function = &item->choice->plan.functions[item->index];
	const char *signature = plaintext_of(
		&item->signature, function_choice_name(item->choice, item->index,
						       item->report->symbols, item->buffer));
	enum function_verdict verdict = item->choice->verdicts[item->index];
	uint32_t flags = function->flags;

	textbuf_clear(&item->short_name);
	textbuf_bytes(&item->short_name, signature, instrument_bare_length(signature));
	const struct instrument_field fields[] = {
		{"address", "StartAddress", FIELD_ADDRESS, 14, NULL, function->address},
		{"size", "AddressRange", FIELD_NUMBER, 12, NULL, function->size},
		{"instructions", "#Instructions", FIELD_NUMBER, 13, NULL, function->instructions},
		{"exits", "Exits", FIELD_NUMBER, 5, NULL, function->exits},
		{"linkage", "Linkage", FIELD_TEXT, 7, function_linkage(function), 0},
		{"visibility", "Visibility", FIELD_TEXT, 10, function_visibility(function), 0},
		{"way", "Way", FIELD_TEXT, 7, way_word((enum plan_way)function->way), 0},
		{"compiler_hook", "CompilerHook", FIELD_TEXT, 12, hook_word(function), 0},
		{"decision", "Decision", FIELD_TEXT, 18, function_verdict_word(verdict), 0},
		{"module", "Module", FIELD_TEXT, 16,
		 plaintext_of(&item->module, path_base_name(item->choice->path)), 0},
		{"function", NULL, FIELD_TEXT, 0,
		 item->short_name.has_failed ? "" : item->short_name.data, 0},
		{"signature", "FunctionSignature", FIELD_TEXT, 24, signature, 0},
		{"linkage_name", NULL, FIELD_TEXT, 0,
		 plaintext_of(&item->linkage_name,
			      function_choice_mangled(item->choice, item->index)),
		 0},
		{"instrumented", NULL, FIELD_BOOL, 0, NULL, function_verdict_takes(verdict)},
		{"loops", NULL, FIELD_BOOL, 0, NULL, (flags & PLAN_FUNCTION_LOOPS) != 0},
		{"tail_calls", NULL, FIELD_BOOL, 0, NULL, (flags & PLAN_FUNCTION_TAIL_CALLS) != 0},
		{"ifunc", NULL, FIELD_BOOL, 0, NULL, (flags & PLAN_FUNCTION_IFUNC) != 0},
		{"reason", "Reason", FIELD_TEXT, 0, reason_text(item), 0},
	};

	item->field_count = 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		item_add(item, &fields[i]);
}

void instrument_item_release(struct instrument_item *item)
{
	textbuf_release(&item->short_name);
	textbuf_release(&item->signature);
	textbuf_release(&item->linkage_name);
	textbuf_release(&item->module);
}
