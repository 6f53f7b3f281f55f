/* Samples of imported threads, as slices. */
#include "import/imported_slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static uint32_t only_thread(struct imported *imported)
{
	return imported_thread(imported, imported_process(imported, 7), 8);
}

struct drawing {
	const struct imported *imported;
	char text[256];
};

static void draw(void *context, int64_t ns, uint32_t node)
{
	struct drawing *drawing = context;
	size_t length = strlen(drawing->text);
	uint32_t of = node ? drawing->imported->nodes[node].region : 0;

	snprintf(drawing->text + length, sizeof(drawing->text) - length, "%s%d%s%s",
		 length ? " " : "", (int)ns, node ? "+" : "-",
		 node ? drawing->imported->regions[of].name.at : "");
}

static void test_samples_become_slices(void **state)
{
	struct drawing drawing = {0};
	struct imported imported;
	uint32_t thread, f, g, h;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	f = imported_child(&imported, imported_root(&imported, thread),
			   imported_user(&imported, "f"));
	g = imported_child(&imported, f, imported_user(&imported, "g"));
	h = imported_child(&imported, f, imported_user(&imported, "h"));
	imported_sample(&imported, thread, 20, 30, h); /* in any order */
	imported_sample(&imported, thread, 0, 10, f);
	imported_sample(&imported, thread, 10, 20, g);
	imported_sample(&imported, thread, 25, 28,
			g); /* inside of another: nothing of it is left */
	imported_sample(&imported, thread, 28, 40, h);
	imported_sample(&imported, thread, 50, 60, g); /* after a gap */
	drawing.imported = &imported;
	assert_int_equal(imported_slices(&imported, thread, draw, &drawing), KYMO_OK);
	assert_string_equal(drawing.text, "0+f 10+g 20- 20+h 40- 40- 50+f 50+g 60- 60-");
	imported_release(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_become_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
