/* Configuration as lines of text. */
#include "config/files/configfile.h"

#include "config/files/config_text.h"
#include "configfile_fixture.h"

static void test_text_lines(void **state)
{
	(void)state;
	assert_read("", "");
	assert_read("\n# all\n  # comments\n", "");
	assert_read("KYMO_TRACE=ON", "KYMO_TRACE=ON@1|");
	assert_read("A = x y,z \r\n\tB=\n", "A=x y,z@1|B=@2|");
	assert_read("\xef\xbb\xbfKYMO_TRACE = ON", "KYMO_TRACE=ON@1|");
	assert_read("some-key = 1", "some-key=1@1|");
	assert_read("A = x # why", "A=x@1|");
	assert_read("A = # why", "A=@1|");
	assert_read("A = x#y", "A=x#y@1|");
	assert_read("A = p=q", "A=p=q@1|");
}

static void test_text_quotes(void **state)
{
	(void)state;
	assert_read("A = \" x # y \"  # comment", "A= x # y @1|");
	assert_read("A = \"a\\\"b\\\\c\\nd\\$HOME\"", "A=a\"b\\c\nd$HOME@1|");
	assert_read("A = \"\\.py$\"", "A=\\.py$@1|");
	assert_read("A = \"a b\" c", "A=\"a b\" c@1|");
	assert_read("A = \"a", "!the quote is not closed@1|");
	assert_read("A = \"a\\\"", "!the quote is not closed@1|");
}

static void test_text_references(void **state)
{
	(void)state;
	assert_read("$X = 1\n$Y = ${x}2\nA = $Y-$X", "A=12-1@3|");
	assert_read("$X = 1\n$X = 2\nA = $X", "A=2@3|");
	assert_read("A = $env:HOME/out ${env:HOME}", "A=/home/me/out /home/me@1|");
	assert_read("A = <$env:NOTHING>", "A=<>@1|");
	assert_read("A = ${KYMO_TRACE}", "A=ON@1|");
	assert_read("A = $env{HOME} $cfg{X} a$|b$ $1 ${ ${}",
		    "A=$env{HOME} $cfg{X} a$|b$ $1 ${ ${}@1|");
	assert_read("A = $NO", "!variable '$NO' is not defined above; an environment variable is "
			       "written $env:NO@1|");
	assert_read("A = ${NO}", "!no setting or variable '${NO}'; an environment variable is "
				 "written $env:NO@1|");
}

static void test_text_errors_have_lines(void **state)
{
	(void)state;
	assert_read("A = 1\nnonsense\nB = 2", "A=1@1|!expected 'NAME = value'@2|");
	assert_read("= 1", "!expected 'NAME = value'@1|");
	assert_read("a b = 1", "!expected 'NAME = value'@1|");
	assert_read("$ = 1", "!expected 'NAME = value'@1|");
}

static void test_lenient_text_goes_on(void **state)
{
	struct journal journal = {.is_lenient = true};
	struct config_sink sink = {&journal, on_assign, on_malformed, on_look_up};
	static const char text[] = "A = 1\nnonsense\nB = 2";

	(void)state;
	assert_int_equal(config_parse(text, strlen(text), &sink, NULL), KYMO_OK);
	assert_string_equal(journal.text.data, "A=1@1|!expected 'NAME = value'@2|B=2@3|");
	textbuf_release(&journal.text);
}

/* Whatever a value is, quoting it and reading it back gives it again. */
static void test_quoting_round_trip(void **state)
{
	static const char alphabet[] = "aB \t#\"\\$\n\r{}=env:HOME;,%ä";
	struct journal journal = {0};
	struct config_sink sink = {&journal, on_assign, on_malformed, on_look_up};
	struct textbuf line = {0}, expected = {0};
	char value[12], *quoted;
	unsigned int random = 1, length, i, round;

	(void)state;
	for (round = 0; round < 20000; round++) {
		random = random * 1103515245u + 12345u;
		length = (random >> 16) % sizeof(value);
		for (i = 0; i < length; i++) {
			random = random * 1103515245u + 12345u;
			value[i] = alphabet[(random >> 16) % (sizeof(alphabet) - 1)];
		}
		value[length] = '\0';
		quoted = config_quote(value);
		textbuf_clear(&line);
		textbuf_format(&line, "A = %s\n", quoted);
		textbuf_clear(&expected);
		textbuf_format(&expected, "A=%s@1|", value);
		textbuf_clear(&journal.text);
		assert_int_equal(config_parse(line.data, line.length, &sink, NULL), KYMO_OK);
		assert_string_equal(journal.text.data, expected.data);
		free(quoted);
	}
	textbuf_release(&line);
	textbuf_release(&expected);
	textbuf_release(&journal.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_lines),
		cmocka_unit_test(test_text_quotes),
		cmocka_unit_test(test_text_references),
		cmocka_unit_test(test_text_errors_have_lines),
		cmocka_unit_test(test_lenient_text_goes_on),
		cmocka_unit_test(test_quoting_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
