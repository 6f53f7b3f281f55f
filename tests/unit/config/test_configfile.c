/* The three forms of configuration files, as the assignments they give. */
#include "config/files/configfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"

struct journal { /* "KEY=value@line|" for each assignment, "!what@line|" for each complaint */
	struct textbuf text;
	bool is_lenient;
};

static enum kymo_status on_assign(void *object, const char *key, const char *value,
				  unsigned int line, struct problem *problem)
{
	struct journal *journal = object;

	(void)problem;
	textbuf_format(&journal->text, "%s=%s@%u|", key, value, line);
	return KYMO_OK;
}

static enum kymo_status on_malformed(void *object, const char *what, unsigned int line,
				     struct problem *problem)
{
	struct journal *journal = object;

	textbuf_format(&journal->text, "!%s@%u|", what, line);
	return journal->is_lenient ? KYMO_OK : problem_set(problem, KYMO_FORMAT, "%s", what);
}

static const char *on_look_up(void *object, enum config_reference kind, const char *name)
{
	(void)object;
	if (kind == CONFIG_REFERENCE_ENVIRONMENT)
		return strcmp(name, "HOME") == 0 ? "/home/me" : NULL;
	return strcmp(name, "KYMO_TRACE") == 0 ? "ON" : NULL;
}

static void assert_read(const char *text, const char *expected)
{
	struct journal journal = {0};
	struct config_sink sink = {&journal, on_assign, on_malformed, on_look_up};
	struct problem problem;
	char *copy = malloc(strlen(text) + 1); /* exact, for the sanitizers */
	enum kymo_status status;

	assert_non_null(copy);
	memcpy(copy, text, strlen(text));
	textbuf_text(&journal.text, "");
	status = config_parse(copy, strlen(text), &sink, &problem);
	assert_string_equal(journal.text.data, expected);
	assert_int_equal(status, strchr(expected, '!') != NULL ? KYMO_FORMAT : KYMO_OK);
	textbuf_release(&journal.text);
	free(copy);
}

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

static void test_nul_is_refused(void **state)
{
	struct journal journal = {0};
	struct config_sink sink = {&journal, on_assign, on_malformed, on_look_up};

	(void)state;
	assert_int_equal(config_parse("A = 1\n\0B", 8, &sink, NULL), KYMO_FORMAT);
	assert_string_equal(journal.text.data, "!a NUL byte: not a text file@2|");
	textbuf_release(&journal.text);
}

static void test_json_values(void **state)
{
	(void)state;
	assert_read("{}", "");
	assert_read(" {\n\"A\": true, \"B\":\"x y\",\n\"C\":-1.5e3}\n",
		    "A=true@2|B=x y@2|C=-1.5e3@3|");
	assert_read("{\"A\":null,\"B\":[],\"C\":[\"x\",2,false]}", "B=@1|C=x 2 false@1|");
	assert_read("{\"A\":\"\\u00e4\\ud834\\udd1e\\n\\\"\\\\\\/\"}", "A=ä𝄞\n\"\\/@1|");
}

static void test_json_of_timemory_tools(void **state)
{
	(void)state;
	assert_read("{\"rocprofsys\": {\"settings\": {\"cereal_class_version\": 2,"
		    "\"ROCPROFSYS_TRACE\": {\"name\": \"trace\", \"value\": true,"
		    "\"categories\": [\"a\", \"b\"]}}}}",
		    "ROCPROFSYS_TRACE=true@1|");
	assert_read("{\"kymo\": {\"TRACE\": \"ON\"}}", "TRACE=ON@1|");
	assert_read("{\"TRACE\": {\"valeu\": 1}}",
		    "!'valeu' is no part of a setting (in 'TRACE')@1|");
	assert_read("{\"output\": {\"path\": \"x\"}}",
		    "!'path' is no part of a setting (in 'output')@1|");
}

static void test_json_errors(void **state)
{
	(void)state;
	assert_read("{", "!expected a name in double quotes@1|");
	assert_read("{\"A\":1,\n}", "A=1@1|!expected a name in double quotes@2|");
	assert_read("{\"A\" 1}", "!expected ':' after a name@1|");
	assert_read("{\"A\":1 \"B\":2}", "A=1@1|!expected ',' or '}'@1|");
	assert_read("{\"A\":[1}", "!expected ',' or ']' in a list@1|");
	assert_read("{\"A\":\"x\n\"}", "!a string is not closed@1|");
	assert_read("{\"A\":\"x", "!a string is not closed@1|");
	assert_read("{\"A\":\"\\", "!a string is not closed@1|");
	assert_read("{\"A\":\"\\x\"}", "!unknown escape in a string@1|");
	assert_read("{\"A\":\"\\u0000\"}", "!wrong \\u in a string@1|");
	assert_read("{\"A\":\"\\ud834x\"}", "!half of a \\u pair in a string@1|");
	assert_read("{\"A\":\"\\udd1e\"}", "!half of a \\u pair in a string@1|");
	assert_read("{\"A\":\"\t\"}", "!a control character in a string; write it escaped@1|");
	assert_read("{\"A\":1}\n\nx", "A=1@1|!text behind the closing '}'@3|");
	for (const char *const *wrong = (const char *const[]){"01", "1.", "-", "ON", "1e", NULL};
	     *wrong != NULL; wrong++) {
		char text[32];

		snprintf(text, sizeof(text), "{\"A\":%s}", *wrong);
		assert_read(text, "!expected a value: a string in double quotes, a number, true or "
				  "false@1|");
	}
}

static void test_nesting_is_bounded(void **state)
{
	struct textbuf json = {0}, xml = {0};

	(void)state;
	textbuf_text(&json, "{");
	for (int i = 0; i < 100000; i++) {
		textbuf_text(&json, "\"a\":{");
		textbuf_text(&xml, "<a>");
	}
	assert_read(json.data, "!nested too deeply@1|");
	assert_read(xml.data, "!nested too deeply@1|");
	textbuf_release(&json);
	textbuf_release(&xml);
}

static void test_xml_values(void **state)
{
	(void)state;
	assert_read("<?xml version=\"1.0\"?>\n<!-- <A>1</A> -->\n<kymo>\n <TRACE a='>'>ON</TRACE>\n"
		    " <B/><C>a &lt;&amp;&#10;&quot;</C></kymo>\n",
		    "TRACE=ON@4|B=@5|C=a <&\n\"@5|");
	assert_read("<timemory_xml><omnitrace><settings><cereal_class_version>2"
		    "</cereal_class_version><OMNITRACE_TRACE><name>trace</name><cmdline><value0>x"
		    "</value0></cmdline><value>true</value></OMNITRACE_TRACE></settings>"
		    "</omnitrace></timemory_xml>",
		    "OMNITRACE_TRACE=true@1|");
}

static void test_xml_errors(void **state)
{
	(void)state;
	assert_read("<a>", "!an element is not closed@1|");
	assert_read("<a", "!a tag is not closed@1|");
	assert_read("<kymo><A>1</B></kymo>",
		    "!a closing tag that does not match its opening tag@1|");
	assert_read("<kymo/></kymo>", "kymo=@1|!a closing tag without its opening tag@1|");
	assert_read("<kymo><A>1</A>x</kymo>", "A=1@1|!text between elements@1|");
	assert_read("<kymo><A>1</A></kymo>x", "A=1@1|!text outside of the elements@1|");
	assert_read("<kymo><A>1</A></kymo><b/>", "A=1@1|!a second outermost element@1|");
	assert_read("<kymo><A>&no;</A></kymo>", "!unknown entity; write '&' as &amp;@1|");
	assert_read("<kymo><A>&#0;</A></kymo>", "!unknown entity; write '&' as &amp;@1|");
	assert_read("<!--", "!a comment or instruction is not closed@1|");
	assert_read("<>", "!expected the name of an element@1|");
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
		cmocka_unit_test(test_nul_is_refused),
		cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_json_of_timemory_tools),
		cmocka_unit_test(test_json_errors),
		cmocka_unit_test(test_nesting_is_bounded),
		cmocka_unit_test(test_xml_values),
		cmocka_unit_test(test_xml_errors),
		cmocka_unit_test(test_quoting_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
