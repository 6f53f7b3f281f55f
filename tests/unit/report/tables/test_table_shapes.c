/* Tables of every shape, in every form: each ends, and its lines are as wide as each other.
 *
 * Shapes come from a generator of numbers with a fixed start, so that a failure comes again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/tables/table.h"
#include "report/tables/table_boxed.h"
#include "report/tables/table_csv.h"
#include "report/tables/table_json.h"
#include "report/tables/table_plain.h"
#include "text/cells.h"

#define COLUMNS_MAX 16
#define ROWS_MAX    4
#define TEXT_MAX    1600
#define OUTPUT_MAX  (1u << 20) /* many times what the largest of these tables needs */

struct shape {
	struct table_column columns[COLUMNS_MAX];
	char headings[COLUMNS_MAX][TEXT_MAX];
	char texts[ROWS_MAX][TEXT_MAX];
	uint64_t numbers[ROWS_MAX];
	struct table table;
};

#define WIDE   "\xe6\xbc\xa2"
#define ACUTE  "\xcc\x81" /* over the letter before */
#define JOINER "\xe2\x80\x8d"
#define FAMILY "\xf0\x9f\x91\xa9" JOINER "\xf0\x9f\x91\xa7"

static uint64_t seed = 1;

static unsigned int draw(unsigned int below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)((seed >> 33) % below);
}

static struct table_cell get_any(const struct table_item *item)
{
	const struct shape *shape = item->view;
	size_t row = (size_t)((const uint64_t *)item->row - shape->numbers);
	struct table_cell cell = {.text = shape->texts[row], .count = shape->numbers[row]};

	cell.is_missing = (row + (size_t)(item->column - shape->columns)) % 5 == 4;
	memcpy(&cell.number, item->row, sizeof(cell.number));
	return cell;
}

static struct table shape_table(struct shape *shape, unsigned int columns, size_t row_count)
{
	return (struct table){
		.columns = shape->columns,
		.column_count = columns,
		.audience = TABLE_PEOPLE,
		TABLE_ROWS(shape->numbers, row_count),
		.view = shape,
	};
}

/* Letters, blanks, characters of two and three bytes, and bytes that are none; wide ones, what
 * combines with the character before, and what is joined to one. */
static void draw_text(char *text, unsigned int most)
{
	static const char *const parts[] = {"a",    "Z",  "_",	 " ",	"\xc3\xa4", "\xe2\x82\xac",
					    "\xff", WIDE, ACUTE, FAMILY};
	unsigned int count = draw(most + 1);

	*text = '\0';
	while (count--)
		strcat(text, parts[draw(sizeof(parts) / sizeof(*parts))]);
}

static void draw_shape(struct shape *shape)
{
	static const unsigned int lengths[] = {0, 1, 3, 12, 40, 120};

	memset(shape, 0, sizeof(*shape));
	shape->table = shape_table(shape, 1 + draw(draw(2) ? 3 : COLUMNS_MAX), draw(ROWS_MAX + 1));
	for (size_t row = 0; row < ROWS_MAX; row++) {
		draw_text(shape->texts[row], lengths[draw(6)]);
		shape->numbers[row] = (uint64_t)draw(UINT32_MAX) << draw(33);
	}
	for (unsigned int i = 0; i < shape->table.column_count; i++) {
		draw_text(shape->headings[i], lengths[draw(4)]);
		shape->columns[i] =
			(struct table_column){shape->headings[i],
					      "key",
					      (enum table_kind)draw(TABLE_CHANGE_NUMBER + 1),
					      TABLE_ALL,
					      .get = get_any,
					      .precision = (int)draw(7),
					      .width = (int)lengths[draw(6)],
					      .is_scientific = draw(2) != 0};
	}
}

/* A table that does not end would fill the memory. */
static ssize_t take(void *cookie, const char *bytes, size_t size)
{
	struct {
		char *data;
		size_t length;
	} *output = cookie;

	if (output->length + size >= OUTPUT_MAX) {
		print_error("the table does not end\n");
		_exit(1);
	}
	memcpy(output->data + output->length, bytes, size);
	output->length += size;
	return (ssize_t)size;
}

static char output_data[OUTPUT_MAX];
static struct {
	char *data;
	size_t length;
} output = {output_data, 0};

static FILE *begin(void)
{
	FILE *out = fopencookie(&output, "w", (cookie_io_functions_t){.write = take});

	assert_non_null(out);
	output.length = 0;
	return out;
}

static void end(FILE *out)
{
	assert_int_equal(fclose(out), 0);
	output.data[output.length] = '\0';
}

static void check_boxed(const struct shape *shape, const char *banner, unsigned int limit)
{
	FILE *out = begin();
	size_t width = 0;

	table_write_boxed(&shape->table, banner, limit, out);
	end(out);
	for (char *line = output.data; *line;) {
		char *newline = strchr(line, '\n');

		assert_non_null(newline);
		*newline = '\0';
		if (width == 0)
			width = cells_of(line);
		assert_int_equal(cells_of(line), width);
		assert_int_equal(line[0], '|');
		assert_int_equal(newline[-1], '|');
		line = newline + 1;
	}
}

/* A banner of each length that a table can have around its own width. */
static void test_boxed_of_every_width(void **state)
{
	char banner[TEXT_MAX];

	(void)state;
	for (unsigned int width = 0; width < 130; width++) {
		struct shape shape;

		memset(&shape, 0, sizeof(shape));
		shape.columns[0] = (struct table_column){
			"", "key", TABLE_TEXT, TABLE_ALL, .get = get_any, .width = (int)width};
		shape.table = shape_table(&shape, 1, 1);
		for (unsigned int length = 0; length < width + 8; length++) {
			memset(banner, 'b', length);
			banner[length] = '\0';
			check_boxed(&shape, banner, 0);
		}
	}
}

static void test_boxed_of_every_shape(void **state)
{
	static struct shape shape;
	char banner[TEXT_MAX];

	(void)state;
	for (int i = 0; i < 4000; i++) {
		draw_shape(&shape);
		draw_text(banner, 100);
		check_boxed(&shape, banner, draw(30));
	}
}

static void check_plain(const struct shape *shape, unsigned int width)
{
	FILE *out = begin();
	size_t lines = 0;

	table_write_plain(&shape->table, width, draw(2) != 0, out);
	end(out);
	for (const char *c = output.data; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, shape->table.row_count + 1);
}

static void test_other_forms_end(void **state)
{
	static struct shape shape;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct json_writer json = {0};
		FILE *out;

		draw_shape(&shape);
		check_plain(&shape, draw(3) ? draw(200) : UINT32_MAX);
		table_write_csv(&shape.table, out = begin());
		end(out);
		table_write_markdown(&shape.table, out = begin());
		end(out);
		json.out = out = begin();
		table_write_json(&shape.table, &json);
		end(out);
	}
}

/* Names of all scripts: the column behind them begins in the same cell of every line. */
static void test_plain_lines_are_straight(void **state)
{
	static struct shape shape;
	static char heading[TEXT_MAX];

	(void)state;
	shape.columns[0] =
		(struct table_column){heading, "name", TABLE_TEXT, TABLE_ALL, .get = get_any};
	shape.columns[1] =
		(struct table_column){"#", "number", TABLE_ID, TABLE_ALL, .get = get_any};
	for (unsigned int width = 1; width < 140; width++) {
		size_t cells = 0;
		FILE *out;

		draw_text(heading, 20);
		for (size_t row = 0; row < ROWS_MAX; row++)
			draw_text(shape.texts[row], 130);
		shape.table = shape_table(&shape, 2, ROWS_MAX);
		table_write_plain(&shape.table, width, false, out = begin());
		end(out);
		for (char *line = strtok(output.data, "\n"); line; line = strtok(NULL, "\n")) {
			assert_true(cells == 0 || cells_of(line) == cells);
			cells = cells_of(line);
			assert_in_range(cells, 1, width < 30 ? 30 : width);
		}
	}
}

/* Texts are cut to what there is room for, and to no less than can be read. */
static void test_plain_lines_fit(void **state)
{
	static struct shape shape;

	(void)state;
	for (unsigned int width = 1; width < 140; width++) {
		FILE *out;

		memset(&shape, 0, sizeof(shape));
		memset(shape.texts[0], 'x', 130);
		for (int i = 0; i < 2; i++)
			shape.columns[i] = (struct table_column){"NAME", "name", TABLE_TEXT,
								 TABLE_ALL, .get = get_any};
		shape.table = shape_table(&shape, 2, 1);
		table_write_plain(&shape.table, width, false, out = begin());
		end(out);
		for (char *line = strtok(output.data, "\n"); line; line = strtok(NULL, "\n"))
			assert_in_range(strlen(line), 1, width < 26 ? 26 : width);
	}
}

/* Of a path the end is worth most, whether it is all of the text or stands behind a name. */
static void test_plain_keeps_the_ends_of_paths(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"walk  folder/that/is/long/file.py:12", "walk  ..long/file.py:12"},
		{"  walk  folder/that/is/long/file.py:12", "  walk  ..ng/file.py:12"},
		{"/folder/that/is/long/file.py", "..that/is/long/file.py"},
		{"a_name_that_takes_all_there_is  file.py:12", "a_name_that_takes_al.."},
		{"a name that has no path", "a name that has no p.."},
	};
	static struct shape shape;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		FILE *out;

		memset(&shape, 0, sizeof(shape));
		strcpy(shape.texts[0], cases[i].text);
		shape.columns[0] = (struct table_column){"NAME", "name", TABLE_TEXT, TABLE_ALL,
							 .get = get_any};
		shape.table = shape_table(&shape, 1, 1);
		table_write_plain(&shape.table, i < 2 ? 23 : 22, false, out = begin());
		end(out);
		assert_string_equal(strtok(output.data, "\n"), "NAME");
		assert_string_equal(strtok(NULL, "\n"), cases[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxed_of_every_width),
		cmocka_unit_test(test_boxed_of_every_shape),
		cmocka_unit_test(test_other_forms_end),
		cmocka_unit_test(test_plain_lines_are_straight),
		cmocka_unit_test(test_plain_lines_fit),
		cmocka_unit_test(test_plain_keeps_the_ends_of_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
