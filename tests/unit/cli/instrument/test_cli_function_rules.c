/* Which functions are recorded: the order of the decisions, and what each of them looks at. */
#include "cli/instrument/function_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "config/settings_load.h"

/* assignments: "FUNCTIONS_X=value", NULL-closed. */
static struct function_rules *rules_of(const char *const *assignments)
{
	char *environment[] = {(char *)"KYMO_SUPPRESS_CONFIG=ON", NULL};
	struct settings *settings = settings_new();
	struct function_rules *rules = NULL;
	struct problem problem = {""};

	assert_non_null(settings);
	if (settings_load(settings, environment, assignments, &problem) != KYMO_OK ||
	    function_rules_new(settings, &rules, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	settings_free(settings);
	return rules;
}
#define RULES(...) rules_of((const char *const[]){__VA_ARGS__, NULL})

static const struct plan_function plain = {
	.size = 100,
	.instructions = 30,
	.way = PLAN_WAY_EXITS,
	.flags = PLAN_FUNCTION_NAMED | PLAN_FUNCTION_GLOBAL,
};

static enum function_verdict judge(struct function_rules *rules, const char *name,
				   const struct plan_function *plan)
{
	const struct function_facts facts = {name, name, plan, false, false};
	enum function_verdict verdict = function_rules_judge(rules, &facts);

	function_rules_free(rules);
	return verdict;
}

static void test_default_takes_all(void **state)
{
	struct plan_function function = plain;

	(void)state;
	assert_int_equal(judge(rules_of(NULL), "f", &function), FUNCTION_TAKEN);
	function = (struct plan_function){.size = 5, .way = PLAN_WAY_ENTRIES};
	assert_int_equal(judge(rules_of(NULL), "", &function), FUNCTION_TAKEN);
	function.way = PLAN_WAY_NONE;
	assert_int_equal(judge(RULES("FUNCTIONS_INCLUDE=."), "f", &function), FUNCTION_CANNOT);
}

/* Of what records each call: sampled waits for what comes before its readings anyway. */
static void test_serialized_plans_are_of_records(void **state)
{
	static const struct {
		const char *timing;
		unsigned variant;
	} all[] = {{"FUNCTIONS_TIMING=full", PLAN_VARIANT_SERIALIZED},
		   {"FUNCTIONS_TIMING=coarse", PLAN_VARIANT_SERIALIZED},
		   {"FUNCTIONS_TIMING=sampled", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct function_rules *rules = RULES(all[i].timing, "FUNCTIONS_SERIALIZE=ON");

		assert_int_equal(function_rules_kind(rules).variant, all[i].variant);
		function_rules_free(rules);
		rules = RULES(all[i].timing);
		assert_int_equal(function_rules_kind(rules).variant, 0);
		function_rules_free(rules);
	}
}

/* Excluded, then restricted, then included, then what the function is like. */
static void test_order(void **state)
{
	(void)state;
	assert_int_equal(
		judge(RULES("FUNCTIONS_EXCLUDE=^f", "FUNCTIONS_INCLUDE=f", "FUNCTIONS_RESTRICT=f"),
		      "f", &plain),
		FUNCTION_EXCLUDED);
	assert_int_equal(judge(RULES("FUNCTIONS_RESTRICT=g", "FUNCTIONS_INCLUDE=f"), "f", &plain),
			 FUNCTION_LEFT);
	assert_int_equal(judge(RULES("FUNCTIONS_INCLUDE=f", "FUNCTIONS_MIN_BYTES=101",
				     "FUNCTIONS_LINKAGE=local"),
			       "f", &plain),
			 FUNCTION_INCLUDED);
	assert_int_equal(judge(RULES("FUNCTIONS_LINKAGE=local", "FUNCTIONS_VISIBILITY=hidden",
				     "FUNCTIONS_MIN_BYTES=101"),
			       "f", &plain),
			 FUNCTION_LINKAGE);
	assert_int_equal(
		judge(RULES("FUNCTIONS_VISIBILITY=hidden", "FUNCTIONS_MIN_BYTES=101"), "f", &plain),
		FUNCTION_VISIBILITY);
	assert_int_equal(judge(RULES("FUNCTIONS_MIN_BYTES=101", "FUNCTIONS_MIN_INSTRUCTIONS=31"),
			       "f", &plain),
			 FUNCTION_SMALL_BYTES);
	assert_int_equal(judge(RULES("FUNCTIONS_MIN_BYTES=100", "FUNCTIONS_MIN_INSTRUCTIONS=31"),
			       "f", &plain),
			 FUNCTION_SMALL_INSTRUCTIONS);
	assert_int_equal(judge(RULES("FUNCTIONS_MIN_BYTES=100", "FUNCTIONS_MIN_INSTRUCTIONS=30"),
			       "f", &plain),
			 FUNCTION_TAKEN);
}

static void test_expressions_search(void **state)
{
	const struct function_facts facts = {"a::b(int, char)", "_ZN1a1bEic", &plain, false, false};
	struct function_rules *rules;

	(void)state;
	assert_int_equal(judge(RULES("FUNCTIONS_RESTRICT=olv"), "solve", &plain), FUNCTION_TAKEN);
	assert_int_equal(judge(RULES("FUNCTIONS_RESTRICT=^olv$"), "solve", &plain), FUNCTION_LEFT);
	assert_int_equal(judge(RULES("FUNCTIONS_RESTRICT=x|(sol)+v"), "solve", &plain),
			 FUNCTION_TAKEN);
	/* Either name will do, and an item in quotes holds blanks and commas. */
	rules = RULES("FUNCTIONS_RESTRICT=^_ZN1a");
	assert_int_equal(function_rules_judge(rules, &facts), FUNCTION_TAKEN);
	function_rules_free(rules);
	rules = RULES("FUNCTIONS_RESTRICT='b\\(int, char\\)$' other");
	assert_int_equal(function_rules_judge(rules, &facts), FUNCTION_TAKEN);
	function_rules_free(rules);
}

static void test_callers(void **state)
{
	const struct function_facts facts = {"f", "f", &plain, true, false};
	struct function_rules *rules =
		RULES("FUNCTIONS_CALLER_INCLUDE=^MPI_", "FUNCTIONS_MIN_BYTES=1000");

	(void)state;
	assert_true(function_rules_want_calls(rules));
	assert_true(function_rules_is_callee(rules, "MPI_Send"));
	assert_false(function_rules_is_callee(rules, "PMPI_Send"));
	assert_int_equal(function_rules_judge(rules, &facts), FUNCTION_CALLS);
	assert_int_equal(judge(rules, "f", &plain), FUNCTION_SMALL_BYTES);
}

/* To include a function is stronger than what is in it. */
static void test_instructions(void **state)
{
	const struct function_facts facts = {"f", "f", &plain, false, true};
	struct function_rules *rules = RULES("FUNCTIONS_INSTRUCTION_EXCLUDE='^call \\[' zmm");

	(void)state;
	assert_true(function_rules_want_instructions(rules));
	assert_true(function_rules_is_instruction(rules, "vaddpd zmm1, zmm2, zmm3"));
	assert_true(function_rules_is_instruction(rules, "call [rax]"));
	assert_false(function_rules_is_instruction(rules, "call 0x1000"));
	assert_int_equal(function_rules_judge(rules, &facts), FUNCTION_INSTRUCTION);
	function_rules_free(rules);
	rules = RULES("FUNCTIONS_INSTRUCTION_EXCLUDE=zmm", "FUNCTIONS_INCLUDE=f");
	assert_int_equal(function_rules_judge(rules, &facts), FUNCTION_INCLUDED);
	function_rules_free(rules);
}

static void test_kinds(void **state)
{
	struct plan_function function = plain;

	(void)state;
	assert_string_equal(function_linkage(&function), "global");
	assert_string_equal(function_visibility(&function), "default");
	function.flags |= PLAN_FUNCTION_WEAK | PLAN_FUNCTION_HIDDEN;
	assert_string_equal(function_linkage(&function), "weak");
	assert_string_equal(function_visibility(&function), "hidden");
	function.flags = PLAN_FUNCTION_NAMED | PLAN_FUNCTION_PROTECTED;
	assert_string_equal(function_linkage(&function), "local");
	assert_string_equal(function_visibility(&function), "protected");
	assert_int_equal(judge(RULES("FUNCTIONS_LINKAGE=weak, LOCAL"), "f", &function),
			 FUNCTION_TAKEN);
	function.flags = 0;
	assert_int_equal(judge(RULES("FUNCTIONS_LINKAGE=global local weak"), "", &function),
			 FUNCTION_LINKAGE);
	function = plain;
	function.way = PLAN_WAY_CALL;
	assert_int_equal(judge(RULES("FUNCTIONS_NO_CALLS=ON"), "f", &function),
			 FUNCTION_CALL_THROUGH);
}

/* Of a function whose instructions were not counted there are about as many as it has room. */
static void test_uncounted_instructions(void **state)
{
	struct plan_function function = plain;

	(void)state;
	function.instructions = 0;
	assert_int_equal(judge(RULES("FUNCTIONS_MIN_INSTRUCTIONS=25"), "f", &function),
			 FUNCTION_TAKEN);
	assert_int_equal(judge(RULES("FUNCTIONS_MIN_INSTRUCTIONS=26"), "f", &function),
			 FUNCTION_SMALL_INSTRUCTIONS);
}

static enum function_verdict judge_file(struct function_rules *rules, const char *path,
					bool is_program)
{
	enum function_verdict verdict = function_rules_judge_file(rules, path, is_program);

	function_rules_free(rules);
	return verdict;
}

static void test_default_scope_is_the_program(void **state)
{
	(void)state;
	assert_int_equal(judge_file(rules_of(NULL), "/bin/app", true), FUNCTION_TAKEN);
	assert_int_equal(judge_file(rules_of(NULL), "/lib/libz.so.1", false),
			 FUNCTION_FILE_UNASKED);
}

static void test_files(void **state)
{
	(void)state;
	assert_int_equal(
		judge_file(RULES("FUNCTIONS_MODULE_INCLUDE=libz"), "/lib/libz.so.1", false),
		FUNCTION_TAKEN);
	assert_int_equal(judge_file(RULES("FUNCTIONS_MODULE_INCLUDE=libz"), "/bin/app", true),
			 FUNCTION_TAKEN);
	assert_int_equal(judge_file(RULES("FUNCTIONS_MODULE_INCLUDE=libz"), "/lib/liby.so", false),
			 FUNCTION_FILE_UNASKED);
	assert_int_equal(judge_file(RULES("FUNCTIONS_MODULE_RESTRICT=libz"), "/bin/app", true),
			 FUNCTION_FILE_LEFT);
	assert_int_equal(
		judge_file(RULES("FUNCTIONS_MODULE_RESTRICT=libz"), "/lib/libz.so.1", false),
		FUNCTION_TAKEN);
	assert_int_equal(
		judge_file(RULES("FUNCTIONS_MODULE_EXCLUDE=libz", "FUNCTIONS_MODULE_INCLUDE=libz"),
			   "/lib/libz.so.1", false),
		FUNCTION_FILE_EXCLUDED);
	/* To exclude some is to ask for the others. */
	assert_int_equal(judge_file(RULES("FUNCTIONS_MODULE_EXCLUDE=libz"), "/lib/liby.so", false),
			 FUNCTION_TAKEN);
}

static void test_libraries_become_internal(void **state)
{
	(void)state;
	assert_int_equal(judge_file(RULES("FUNCTIONS_MODULE_EXCLUDE=zzz",
					  "FUNCTIONS_INTERNAL_APPEND=libfoo bar"),
				    "/lib/libfoo.so.1", false),
			 FUNCTION_FILE_INTERNAL);
	assert_int_equal(judge_file(RULES("FUNCTIONS_MODULE_EXCLUDE=zzz",
					  "FUNCTIONS_INTERNAL_APPEND=libfoo bar"),
				    "/lib/libbar.so.1", false),
			 FUNCTION_FILE_INTERNAL);
	assert_int_equal(judge_file(RULES("FUNCTIONS_MODULE_EXCLUDE=zzz",
					  "FUNCTIONS_INTERNAL_APPEND=libfoo"),
				    "/lib/libfoobar.so.1", false),
			 FUNCTION_TAKEN);
	assert_int_equal(judge_file(RULES("FUNCTIONS_MODULE_EXCLUDE=zzz",
					  "FUNCTIONS_INTERNAL_REMOVE=stdc++"),
				    "/lib/libstdc++.so.6", false),
			 FUNCTION_TAKEN);
}

static void test_internal_libraries(void **state)
{
	static const char *const internal[] = {"/lib/libc.so.6", "/lib/libc-2.31.so",
					       "/lib64/ld-linux-x86-64.so.2",
					       "/lib/libnss_files.so.2", "/lib/libstdc++.so.6"};
	static const char *const others[] = {"/lib/libcrypto.so.3", "/lib/libcurl.so.4",
					     "/lib/libmagic.so.1", "/lib/libc-client.so.2007e"};

	(void)state;
	for (size_t i = 0; i < sizeof(internal) / sizeof(*internal); i++) {
		assert_int_equal(
			judge_file(RULES("FUNCTIONS_MODULE_EXCLUDE=zzz"), internal[i], false),
			FUNCTION_FILE_INTERNAL);
		assert_int_equal(
			judge_file(RULES("FUNCTIONS_MODULE_INCLUDE=."), internal[i], false),
			FUNCTION_TAKEN);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(
			judge_file(RULES("FUNCTIONS_MODULE_EXCLUDE=zzz"), others[i], false),
			FUNCTION_TAKEN);
	assert_int_equal(
		judge_file(RULES("FUNCTIONS_MODULE_INCLUDE=."), "/l/libkymo-lifecycle.so", false),
		FUNCTION_FILE_INTERNAL);
}

static void take_key(struct function_rules *rules, char *key)
{
	strcpy(key, function_rules_key(rules));
	function_rules_free(rules);
}

static void test_keys(void **state)
{
	char keys[6][FUNCTION_KEY_SIZE];

	(void)state;
	take_key(rules_of(NULL), keys[0]);
	assert_string_equal(keys[0], "");
	take_key(RULES("FUNCTIONS_TIMING=full"), keys[0]);
	assert_string_equal(keys[0], "");
	take_key(RULES("FUNCTIONS_RESTRICT=a"), keys[0]);
	take_key(RULES("FUNCTIONS_INCLUDE=a"), keys[1]);
	take_key(RULES("FUNCTIONS_RESTRICT=a", "FUNCTIONS_TIMING=full"), keys[2]);
	take_key(RULES("FUNCTIONS_RESTRICT=a", "TRACE=ON"), keys[3]);
	take_key(RULES("FUNCTIONS_MIN_BYTES=7"), keys[4]);
	take_key(RULES("FUNCTIONS_RESTRICT=a"), keys[5]);
	assert_int_equal(strlen(keys[0]), 16);
	assert_string_equal(keys[0], keys[5]);
	assert_string_equal(keys[2], keys[3]);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < i; j++)
			if (i != 3 || j != 2)
				assert_string_not_equal(keys[i], keys[j]);
}

static void assert_refused(const char *assignment, const char *expected)
{
	const char *assignments[] = {assignment, NULL};
	char *environment[] = {(char *)"KYMO_SUPPRESS_CONFIG=ON", NULL};
	struct settings *settings = settings_new();
	struct function_rules *rules = NULL;
	struct problem problem = {""};

	assert_non_null(settings);
	assert_int_equal(settings_load(settings, environment, assignments, &problem), KYMO_OK);
	assert_true(function_rules_new(settings, &rules, &problem) < 0);
	assert_null(rules);
	assert_string_equal(problem.text, expected);
	settings_free(settings);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused(
		"FUNCTIONS_RESTRICT=a(",
		"KYMO_FUNCTIONS_RESTRICT: 'a(' is not a regular expression: Unmatched ( or \\(");
	assert_refused("FUNCTIONS_LINKAGE=static",
		       "KYMO_FUNCTIONS_LINKAGE takes global, local, weak, unknown, not 'static'");
	assert_refused("FUNCTIONS_VISIBILITY=none", "KYMO_FUNCTIONS_VISIBILITY takes default, "
						    "hidden, protected, unknown, not 'none'");
	assert_refused("FUNCTIONS_FILTER_FILE=/nowhere/f", "cannot read filter file "
							   "'/nowhere/f': No such file or "
							   "directory");
}

static void test_every_verdict_has_words(void **state)
{
	(void)state;
	for (int i = 0; i < FUNCTION_VERDICTS; i++) {
		enum function_verdict verdict = (enum function_verdict)i;

		assert_true(function_verdict_word(verdict)[0] != '\0');
		assert_true(function_verdict_text(verdict, PLAN_TOO_SHORT)[0] != '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_takes_all),
		cmocka_unit_test(test_serialized_plans_are_of_records),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_expressions_search),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_uncounted_instructions),
		cmocka_unit_test(test_default_scope_is_the_program),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_libraries_become_internal),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_internal_libraries),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_every_verdict_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
