/* Heads of requests as browsers send them, and as nobody should. */
#include "cli/page/http_request.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct http_request parsed(const char *text)
{
	struct http_request request;

	http_request_parse(text, strlen(text), &request);
	return request;
}

static void test_get(void **state)
{
	struct http_request request = parsed("GET /generation?x=1 HTTP/1.1\r\nAccept: */*\r\n"
					     "hOsT: 127.0.0.1:8000\r\n\r\n");

	(void)state;
	assert_true(request.is_get);
	assert_false(request.is_head);
	assert_true(request.is_local);
	assert_string_equal(request.path, "/generation");
	assert_true(parsed("HEAD / HTTP/1.1\r\nHost: LOCALHOST\r\n\r\n").is_head);
	assert_true(parsed("HEAD / HTTP/1.1\r\nHost: LOCALHOST\r\n\r\n").is_local);
}

static void test_other_names(void **state)
{
	static const char *const hosts[] = {
		"evil.example",
		"127.0.0.1.evil.example",
		"localhost.evil.example",
		"127.0.0.10",
		"xlocalhost",
		"",
		"[::1]",
		"evil:127.0.0.1",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]);
		assert_false(parsed(text).is_local);
	}
	assert_false(parsed("GET / HTTP/1.1\r\n\r\n").is_local);
	/* The first one counts, as for everyone who reads them in order. */
	assert_false(parsed("GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n").is_local);
}

static void test_methods_and_paths(void **state)
{
	char text[4096];

	(void)state;
	assert_false(parsed("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n").is_get);
	assert_false(parsed("GETX / HTTP/1.1\r\nHost: localhost\r\n\r\n").is_get);
	assert_string_equal(parsed("GET\r\n\r\n").path, "");
	assert_string_equal(parsed("GET  / HTTP/1.1\r\n\r\n").path, "");
	memset(text, 'a', sizeof(text));
	memcpy(text, "GET /", 5);
	text[sizeof(text) - 1] = '\0';
	assert_string_equal(parsed(text).path, "");
}

static void test_whole(void **state)
{
	static const char text[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

	(void)state;
	for (size_t size = 0; size + 1 < sizeof(text) - 1; size++)
		assert_false(http_request_is_whole(text, size));
	assert_true(http_request_is_whole(text, sizeof(text) - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get),
		cmocka_unit_test(test_other_names),
		cmocka_unit_test(test_methods_and_paths),
		cmocka_unit_test(test_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
