/* Unwind rules that are written, read back with the decoder of such rules. */
#include "patch/plan/frames/cfi_emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t expressions[2][3] = {{0x77, 0x08, 0x06}, {0x9c, 0x23, 0x10}};
static uint64_t seed = 3;

static uint32_t random_below(uint32_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % limit;
}

static int64_t random_value(void)
{
	int64_t value = (int64_t)(random_below(1u << 31) >> random_below(31));

	return random_below(2) ? value : -value;
}

static struct cfi_transcode_rule random_rule(void)
{
	struct cfi_transcode_rule rule = {.kind = (uint8_t)random_below(8)};

	switch ((enum cfi_rule_kind)rule.kind) {
	case CFI_RULE_OFFSET:
	case CFI_RULE_VAL_OFFSET:
		rule.value = random_value();
		break;
	case CFI_RULE_REGISTER:
		rule.value = random_below(200);
		break;
	case CFI_RULE_EXPRESSION:
	case CFI_RULE_VAL_EXPRESSION:
		rule.size = 3;
		rule.expression = expressions[random_below(2)];
		break;
	default:
		break;
	}
	return rule;
}

static struct cfi_transcode_state random_state(void)
{
	struct cfi_transcode_state state = {.is_expression = random_below(4) == 0};

	if (state.is_expression) {
		state.cfa_size = 3;
		state.cfa_expression = expressions[random_below(2)];
	} else {
		state.cfa_register = (uint8_t)random_below(17);
		state.cfa_offset = random_value();
	}
	for (unsigned i = 0; i < CFI_TRANSCODE_REGISTERS; i++)
		state.rules[i] = random_rule();
	return state;
}

static void take_rule(struct cfi_transcode_rule *to, const struct cfi_rule *rule)
{
	bool is_expression =
		rule->kind == CFI_RULE_EXPRESSION || rule->kind == CFI_RULE_VAL_EXPRESSION;

	*to = (struct cfi_transcode_rule){.kind = (uint8_t)rule->kind};
	if (is_expression) {
		to->size = (uint32_t)(rule->expression.end - rule->expression.at);
		to->expression = rule->expression.at;
	} else {
		to->value = rule->value;
	}
}

/* What the instructions make of a state. */
static void apply(struct cfi_transcode_state *state, const struct plan_stretch *stretch)
{
	const struct cfi_section section = {0};
	const struct cfi_entry entry = {.code_alignment = 1,
					.data_alignment = CFI_TRANSCODE_DATA_ALIGNMENT};
	struct cfi_bytes bytes = {stretch->bytes, stretch->bytes + stretch->size, false};

	while (cfi_left(&bytes) > 0) {
		struct cfi_step step;

		assert_true(cfi_decode(&section, &entry, 0, &bytes, &step));
		switch (step.kind) {
		case CFI_STEP_CFA:
			state->cfa_register = (uint8_t)step.number;
			/* fall through */
		case CFI_STEP_CFA_OFFSET:
			state->is_expression = false;
			state->cfa_offset = step.offset;
			break;
		case CFI_STEP_CFA_EXPRESSION:
			state->is_expression = true;
			state->cfa_size =
				(uint32_t)(step.rule.expression.end - step.rule.expression.at);
			state->cfa_expression = step.rule.expression.at;
			break;
		case CFI_STEP_RULE:
			take_rule(&state->rules[step.number], &step.rule);
			break;
		case CFI_STEP_RESTORE: /* the common entry says nothing */
			state->rules[step.number] = (struct cfi_transcode_rule){0};
			break;
		default:
			fail_msg("instruction of kind %d", (int)step.kind);
		}
	}
}

static void assert_same(const struct cfi_transcode_state *a, const struct cfi_transcode_state *b)
{
	assert_int_equal(a->is_expression, b->is_expression);
	if (a->is_expression) {
		assert_int_equal(a->cfa_size, b->cfa_size);
		assert_memory_equal(a->cfa_expression, b->cfa_expression, a->cfa_size);
	} else {
		assert_int_equal(a->cfa_register, b->cfa_register);
		assert_int_equal(a->cfa_offset, b->cfa_offset);
	}
	for (unsigned i = 0; i < CFI_TRANSCODE_REGISTERS; i++) {
		assert_int_equal(a->rules[i].kind, b->rules[i].kind);
		assert_int_equal(a->rules[i].size, b->rules[i].size);
		if (a->rules[i].size)
			assert_memory_equal(a->rules[i].expression, b->rules[i].expression, 3);
		else
			assert_int_equal(a->rules[i].value, b->rules[i].value);
	}
}

static void test_any_state_becomes_any_other(void **state)
{
	struct plan_stretch stretch = {0};

	(void)state;
	for (int round = 0; round < 5000; round++) {
		struct cfi_transcode_state from = random_state(), to = random_state();

		stretch.size = 0;
		assert_true(cfi_emit(&stretch, &from, &to));
		apply(&from, &stretch);
		assert_same(&from, &to);
	}
	free(stretch.bytes);
}

static void test_what_stays_is_not_said_again(void **state)
{
	struct plan_stretch stretch = {0};
	struct cfi_transcode_state from = random_state(), to = from;

	(void)state;
	from.is_expression = to.is_expression = false;
	from.cfa_register = to.cfa_register = 7;
	from.cfa_offset = to.cfa_offset = 8;
	assert_true(cfi_emit(&stretch, &from, &to));
	assert_int_equal(stretch.size, 0);
	to.cfa_offset = 16;
	assert_true(cfi_emit(&stretch, &from, &to));
	assert_int_equal(stretch.size, 2);
	assert_memory_equal(stretch.bytes, "\x0e\x10", 2); /* def_cfa_offset 16 */
	free(stretch.bytes);
}

static void test_what_cannot_be_written(void **state)
{
	struct plan_stretch stretch = {0};
	struct cfi_transcode_state from = {0}, to = {0};

	(void)state;
	to.rules[3] = (struct cfi_transcode_rule){.kind = CFI_RULE_OFFSET, .value = INT64_MIN};
	assert_false(cfi_emit(&stretch, &from, &to));
	to.rules[3] = (struct cfi_transcode_rule){.kind = 99};
	assert_false(cfi_emit(&stretch, &from, &to));
	free(stretch.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_state_becomes_any_other),
		cmocka_unit_test(test_what_stays_is_not_said_again),
		cmocka_unit_test(test_what_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
