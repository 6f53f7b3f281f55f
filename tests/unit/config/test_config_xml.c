/* Configuration as XML. */
#include "config/files/configfile.h"

#include "configfile_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xml_values),
		cmocka_unit_test(test_xml_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
