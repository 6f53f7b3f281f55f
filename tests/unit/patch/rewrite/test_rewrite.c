/* Rewritten programs, by running them. */
#include "patch/rewrite/rewrite.h"

#include "patch/read/planread.h"
#include "patch/rewrite/rewritefind.h"
#include "rewrite_fixture.h"

static void rewritten_program_runs_through_its_trampoline(void **state)
{
	struct rewrite_result result;
	struct problem problem = {""};
	struct stat info;

	(void)state;
	assert_int_equal(answer_of(itself), 41);
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, NULL, &result, &problem),
			 KYMO_OK);
	assert_int_equal(result.taken, 1);
	assert_int_equal(result.refused, 0);
	assert_int_equal(stat(output, &info), 0);
	assert_int_equal(info.st_size, result.size_after);
	assert_true(info.st_mode & 0111);
	assert_int_equal(answer_of(output), 42); /* 41 and the switch, which is off */
}

static void head_leads_to_the_plan(void **state)
{
	static const char *const environment[] = {"KYMO_TRACE=ON", "A=b c"};
	const struct rewrite_options options = {environment, 2};
	struct rewrite_found found = {0};
	struct problem problem;
	size_t size;
	unsigned char *bytes;

	(void)state;
	assert_false(rewrite_find(itself, &found));
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, &options, NULL, &problem),
			 KYMO_OK);
	assert_true(rewrite_find(output, &found));
	assert_int_equal(found.cost, PATCH_COST_FULL);
	assert_int_equal(found.taken, 1);
	assert_int_equal(found.environment_size, 20);
	assert_memory_equal(found.environment, "KYMO_TRACE=ON\0A=b c\0", 21);
	rewrite_found_release(&found);
	bytes = read_whole(output, &size);
	for (size_t at = 0; at + sizeof(struct rewrite_head) <= size; at += 4096) {
		struct rewrite_head head;
		struct plan read;
		unsigned char *copy;

		memcpy(&head, bytes + at, sizeof(head));
		/* The file may have a copy of that text elsewhere, too. */
		if (memcmp(head.magic, REWRITE_MAGIC, 8) != 0 || head.plan_size > size ||
		    head.plan_offset > size - head.plan_size)
			continue;
		copy = aligned_alloc(16, head.plan_size);
		memcpy(copy, bytes + at + head.plan_offset, head.plan_size);
		assert_true(plan_read(copy, head.plan_size, false, &read));
		assert_int_equal(read.header->function_count, 1);
		assert_int_equal(read.header->code_address,
				 head.address + head.plan_offset + read.header->code_offset);
		assert_string_equal(read.names + read.functions[0].name, "rewrite_answer");
		assert_int_equal(bytes[at + head.choice_offset], CHOICE_TAKEN);
		free(copy);
		free(bytes);
		return;
	}
	fail_msg("no head in '%s'", output);
}

static void text_that_differs_is_left_alone(void **state)
{
	struct rewrite_result result;
	struct problem problem;
	char changed[160];
	unsigned char *bytes;
	size_t size;

	(void)state;
	snprintf(changed, sizeof(changed), "%s.changed", output);
	bytes = read_whole(itself, &size);
	for (size_t i = 0; i + 10 < size; i++)
		if (memcmp(bytes + i, "\xb8\x29\0\0\0\x90\x90\x90\x90\xc3", 10) == 0)
			bytes[i + 1] = 40;
	write_whole(changed, bytes, size);
	free(bytes);
	assert_int_equal(answer_of(changed), 40);
	unlink(output);
	assert_int_equal(rewrite_file(changed, output, &plan, NULL, NULL, &result, &problem),
			 KYMO_ERROR);
	assert_int_not_equal(access(output, F_OK), 0);
}

static void collector_takes_over_a_rewritten_program(void **state)
{
	struct problem problem;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, NULL, NULL, &problem), KYMO_OK);
	child = fork();
	if (child == 0) {
		execl(output, output, "adopt", (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 44 << 8);
}

int main(int argc, char **argv)
{
	bool is_adopted = false;

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewritten_program_runs_through_its_trampoline),
		cmocka_unit_test(head_leads_to_the_plan),
		cmocka_unit_test(text_that_differs_is_left_alone),
		cmocka_unit_test(collector_takes_over_a_rewritten_program),
	};

	if (argc > 1 && strcmp(argv[1], "adopt") == 0) {
		dl_iterate_phdr(attach_segment, &is_adopted);
		return is_adopted ? rewrite_answer() : 1;
	}
	if (argc > 1)
		return rewrite_answer();
	if (readlink("/proc/self/exe", itself, sizeof(itself) - 1) < 0 || !argv[0])
		return 1;
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
