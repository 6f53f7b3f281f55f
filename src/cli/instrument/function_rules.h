/* Which functions of which files are recorded: the settings FUNCTIONS_*, and the only place where
 * this is decided (docs/instrument.md, "Which functions").
 *
 * Owns its memory; uses malloc and the C library's regular expressions.  Context: init. */
#ifndef KYMO_FUNCTION_RULES_H
#define KYMO_FUNCTION_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/instrument/function_verdict.h"
#include "config/settings.h"
#include "patch/plan/plan.h"

struct function_rules;

/* KYMO_USAGE: a regular expression, a word or the filter file is wrong. */
enum kymo_status function_rules_new(const struct settings *settings, struct function_rules **out,
				    struct problem *problem);
void function_rules_free(struct function_rules *rules);

#define FUNCTION_KEY_SIZE 20
/* Name of the choice that these rules make: "" = every function of the program's own file. */
const char *function_rules_key(const struct function_rules *rules);
/* How calls are timed, by FUNCTIONS_TIMING. */
enum patch_cost function_rules_cost(const struct function_rules *rules);
/* The kind of plans that these rules need: of that cost, and with the variants that they set or
 * that were added (PLAN_VARIANT_*). */
struct plan_kind function_rules_kind(const struct function_rules *rules);
void function_rules_add_variant(struct function_rules *rules, unsigned variant);
/* Use no call-through trampolines … */
void function_rules_without_calls(struct function_rules *rules);
/* … if the limits of this process, which the program will inherit, allow too few addresses. */
void function_rules_fit_limits(struct function_rules *rules);
/* Files other than the program's own are included. */
bool function_rules_want_libraries(const struct function_rules *rules);
/* The rules depend on functions' callees. */
bool function_rules_want_calls(const struct function_rules *rules);
/* The rules depend on names: facts.name and .mangled are read. */
bool function_rules_want_names(const struct function_rules *rules);
/* Functions that call this one are recorded. */
bool function_rules_is_callee(const struct function_rules *rules, const char *name);
/* The rules depend on functions' instructions. */
bool function_rules_want_instructions(const struct function_rules *rules);
/* Functions with an instruction of this text are not recorded. */
bool function_rules_is_instruction(const struct function_rules *rules, const char *text);

/* FUNCTION_TAKEN, or why functions of this file are not recorded. */
enum function_verdict function_rules_judge_file(const struct function_rules *rules,
						const char *path, bool is_program);

struct function_facts {
	const char *name;    /* demangled */
	const char *mangled; /* the linker's */
	const struct plan_function *plan;
	bool calls_callee;    /* function_rules_is_callee() */
	bool has_instruction; /* function_rules_is_instruction() */
};
enum function_verdict function_rules_judge(const struct function_rules *rules,
					   const struct function_facts *facts);

/* Whether arguments or return values are recorded; and which of the two of this function. */
#define FUNCTION_WANTS_ARGUMENTS 1u
#define FUNCTION_WANTS_RESULT	 2u
bool function_rules_want_values(const struct function_rules *rules);
unsigned function_rules_wants(const struct function_rules *rules,
			      const struct function_facts *facts);

#endif
