/* MD5 against the test suite of RFC 1321, and every length around a block's end. */
#include "base/md5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void test_rfc_suite(void **state)
{
	static const struct {
		const char *text, *digest;
	} suite[] = {
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"a", "0cc175b9c0f1b6a831c399e269772661"},
		{"abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
		{"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		 "d174ab98d277d9f5a5611c2c9f419d9f"},
		{"1234567890123456789012345678901234567890123456789012345678901234567890123456789"
		 "0",
		 "57edf4a22be3c955ac49da2e2107b67a"},
	};
	char digest[MD5_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(suite) / sizeof(*suite); i++) {
		md5_text(suite[i].text, strlen(suite[i].text), digest);
		assert_string_equal(digest, suite[i].digest);
	}
}

/* The digest of the digests of all lengths up to three blocks. */
static void test_all_lengths(void **state)
{
	char digests[193][MD5_TEXT_SIZE], digest[MD5_TEXT_SIZE], bytes[192];

	(void)state;
	memset(bytes, 'k', sizeof(bytes));
	for (size_t length = 0; length <= sizeof(bytes); length++)
		md5_text(bytes, length, digests[length]);
	md5_text(digests, sizeof(digests), digest);
	assert_string_equal(digest, "747ac1b1ae8dd4e802c9f57fb4742fb3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rfc_suite),
		cmocka_unit_test(test_all_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
