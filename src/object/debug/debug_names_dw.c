/* Full names of functions without a linkage name, such as lambdas and file-local functions:
 * composed of the namespaces, classes and functions that they are declared in. */
#include "object/debug/debug_names_dw.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/partitionpoint.h"
#include "object/debug/debug_scopes_dw.h"

#define ORIGINS_MAX  16
#define CONTEXTS_MAX 32

/* The DIE of the function's declaration. */
static bool find_declaration(const Dwarf_Die *die, Dwarf_Die *die_out)
{
	static const unsigned int origins[] = {DW_AT_abstract_origin, DW_AT_specification};

	*die_out = *die;
	for (int hops = 0; hops < ORIGINS_MAX; hops++) {
		Dwarf_Attribute holder;
		Dwarf_Die next;
		bool has_next = false;

		for (size_t i = 0; i < 2 && !has_next; i++)
			has_next = dwarf_attr(die_out, origins[i], &holder) &&
				   dwarf_formref_die(&holder, &next);
		if (!has_next)
			return true;
		*die_out = next;
	}
	return false;
}

/* What a function is declared in, which may differ from the location of its code. */
static uint32_t context_of(const struct debug_scopes *scopes, const Dwarf_Die *function)
{
	size_t low;
	Dwarf_Die die;
	Dwarf_Off offset;

	if (!find_declaration(function, &die))
		return DEBUG_SCOPE_NONE;
	offset = dwarf_dieoffset(&die);
	low = partition_point(scopes->declaration_count, i,
			      scopes->declarations[i].offset < offset);
	if (low == scopes->declaration_count || scopes->declarations[low].offset != offset)
		return DEBUG_SCOPE_NONE;
	return scopes->declarations[low].context;
}

static bool dw_is_function(struct debug_context *context)
{
	return dwarf_tag(&context->die) == DW_TAG_subprogram;
}

static uint32_t outer_context(const struct debug_scopes *scopes, uint32_t context)
{
	struct debug_context *row = &scopes->contexts[context];

	return dw_is_function(row) ? context_of(scopes, &row->die) : row->parent;
}

/* The class of a lambda has no name, or a placeholder. */
static const char *context_name(Dwarf_Die *die, const char *function)
{
	const char *name = dwarf_diename(die);

	if (name)
		return name;
	if (dwarf_tag(die) == DW_TAG_namespace)
		return "(anonymous namespace)";
	return strcmp(function, "operator()") == 0 ? "{lambda}" : "{unnamed}";
}

/* A context of functions only is not shown: C and Fortran nest functions. */
static bool is_worth_showing(const struct debug_scopes *scopes, uint32_t context)
{
	for (int i = 0; i < CONTEXTS_MAX && context != DEBUG_SCOPE_NONE; i++) {
		if (!dw_is_function(&scopes->contexts[context]))
			return true;
		context = outer_context(scopes, context);
	}
	return false;
}

static char *compose(const struct debug_scopes *scopes, uint32_t context, const char *name)
{
	char *text = NULL, *longer;

	if (asprintf(&text, "%s", name) < 0)
		return NULL;
	for (int i = 0; i < CONTEXTS_MAX && context != DEBUG_SCOPE_NONE; i++) {
		struct debug_context *outer = &scopes->contexts[context];
		int length = asprintf(&longer, "%s::%s", context_name(&outer->die, name), text);

		free(text);
		if (length < 0)
			return NULL;
		text = longer;
		context = outer_context(scopes, context);
	}
	return text;
}

const char *debug_qualified_name(struct debug_scopes *scopes, struct debug_scope *scope)
{
	const char *name = dwarf_diename(&scope->die);
	uint32_t context;

	if (scope->is_computed || !name)
		return scope->qualified_name;
	scope->is_computed = true;
	context = context_of(scopes, &scope->die);
	if (is_worth_showing(scopes, context))
		scope->qualified_name = compose(scopes, context, name);
	return scope->qualified_name;
}
