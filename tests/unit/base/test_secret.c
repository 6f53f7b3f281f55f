/* What looks like a secret is masked; what does not is left as it is. */
#include "base/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static void test_names(void **state)
{
	static const char *const secrets[] = {"TOKEN",
					      "GITHUB_TOKEN",
					      "api_key",
					      "DB_PASSWORD",
					      "PGPASSFILE",
					      "AWS_SECRET_ACCESS",
					      "GOOGLE_CREDENTIALS",
					      "HTTP_COOKIE",
					      "SSH_AUTH_SOCK",
					      "SENTRY_DSN",
					      "Mysql_Pwd",
					      "DB_PW",
					      "GITHUB_PAT",
					      "SLACK_WEBHOOK_URL"};
	static const char *const plain[] = {
		"PATH", "HOME", "PWD", "OLDPWD", "LANG", "OMP_NUM_THREADS", "SPAWN", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(secrets) / sizeof(*secrets); i++)
		assert_true(secret_is_name(secrets[i], strlen(secrets[i])));
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		assert_false(secret_is_name(plain[i], strlen(plain[i])));
	/* Only as many letters as are given. */
	assert_false(secret_is_name("MY_TOKEN", 3));
}

static void masks(const char *text, const char *expected)
{
	char out[512];

	assert_int_equal(secret_mask(text, out, sizeof(out)), strlen(expected));
	assert_string_equal(out, expected);
}

static void test_urls(void **state)
{
	(void)state;
	masks("https://user:hunter2@example.org/path", "https://user:***@example.org/path");
	masks("see postgres://a:p,q;r@db:5432/x and http://b:80/y",
	      "see postgres://a:***@db:5432/x and http://b:80/y");
	masks("http://:only@host", "http://:***@host");
	masks("redis://u:a/b@host", "redis://u:***@host");
	masks("postgres://bob:pa&ss@db/x", "postgres://bob:***@db/x");
	masks("https://0123456789abcdef0123@example.org/x", "https://***@example.org/x");
	masks("https://somebody@example.org/x", "https://somebody@example.org/x");
	masks("Server=db;Uid=sa;Pwd=abc;", "Server=db;Uid=sa;Pwd=***");
	masks("DRIVER=x;PWD=abc", "DRIVER=x;PWD=***");
	masks("PWD=/home/me", "PWD=/home/me");
	masks("--set=db.password=abc", "--set=db.password=***");
	masks("https://example.org:8080/a@b:c", "https://example.org:***@b:c");
	masks("https://example.org/x?user=me&token=abc&z=1",
	      "https://example.org/x?user=me&token=***&z=1");
	masks("https://example.org/x?api_key=abc#part", "https://example.org/x?api_key=***");
}

static void test_arguments(void **state)
{
	(void)state;
	masks("train.py --password hunter2 --epochs 3", "train.py --password *** --epochs 3");
	masks("train.py --api-key=abc,def x", "train.py --api-key=*** x");
	masks("--token --verbose file", "--token --verbose file");
	masks("Authorization: Bearer abc.def next", "Authorization: Bearer *** next");
	masks("{\"password\": \"hunter2\", \"port\": 1}", "{\"password\": \"***\", \"port\": 1}");
	masks("{'secret':'x'}", "{'secret':'***'}");
	masks("run ghp_0123456789abcdef0123456789 now", "run *** now");
	masks("-----BEGIN RSA PRIVATE KEY-----\nabc", "***");
}

static void test_plain(void **state)
{
	(void)state;
	masks("", "");
	masks("/usr/bin:/bin", "/usr/bin:/bin");
	masks("python -m kymo --output x=1 file.py", "python -m kymo --output x=1 file.py");
	masks("  a\tb\n'c' \xff\xfe ", "  a\tb\n'c' \xff\xfe ");
	masks("http://host:80", "http://host:80");
	masks("key=", "key=");
}

static void test_room(void **state)
{
	char out[8];

	(void)state;
	assert_int_equal(secret_mask("token=abcdefgh", out, sizeof(out)), 9);
	assert_string_equal(out, "token=*");
	assert_int_equal(secret_mask("token=abcdefgh", NULL, 0), 9);
}

/* A command line: what becomes of its last argument. */
static void becomes(const char *line, const char *expected)
{
	char copy[256], out[256], *rest = copy, *word;
	const char *argv[16] = {NULL};
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	while ((word = strsep(&rest, " ")))
		argv[count++] = word;
	assert_int_equal(secret_mask_argument(argv, count - 1, out, sizeof(out)), strlen(expected));
	assert_string_equal(out, expected);
}

static void test_command_lines(void **state)
{
	static const struct {
		const char *line, *expected;
	} cases[] = {
		{"x --token=abc", "--token=***"},
		{"x --token abc", "***"},
		{"x --api-key -abc", "***"},
		{"x --token --verbose", "--verbose"},
		{"keytool -storepass abc", "***"},
		{"openssl enc -k abc", "***"},
		{"openssl rsa -passin pass:abc", "***"},
		{"mysql -psecret", "-p***"},
		{"x -p=secret", "-p=***"},
		{"sudo mysql -psecret", "-p***"},
		{"/usr/bin/sshpass -p abc", "***"},
		{"sudo sshpass -p abc", "***"},
		{"docker login -p abc", "***"},
		{"docker run -p 8080:80", "8080:80"},
		{"redis-cli -a abc", "***"},
		{"curl -u bob:abc", "bob:***"},
		{"curl -ubob:abc", "-ubob:***"},
		{"curl --user bob:abc", "bob:***"},
		{"curl --user=bob:abc", "--user=bob:***"},
		{"smbclient -U bob%abc", "bob%***"},
		{"curl --proxy http://bob:abc@host", "http://bob:***@host"},
		{"x DATABASE_URL=postgres://bob:abc@db/x", "DATABASE_URL=postgres://bob:***@db/x"},
		{"curl -bsession=abc", "-bsession=***"},
		/* and what is none */
		{"mysql", "mysql"},
		{"x file", "file"},
		{"docker run -u 1000:1000", "1000:1000"},
		{"python -u script.py", "script.py"},
		{"gcc -pthread", "-pthread"},
		{"gcc -pedantic-errors", "-pedantic-errors"},
		{"gcc -print-search-dirs", "-print-search-dirs"},
		{"server -p8080", "-p8080"},
		{"server -p 8080", "8080"},
		{"mkdir -p folder", "folder"},
		{"mkdir -p/tmp/x", "-p/tmp/x"},
		{"cp -pr", "-pr"},
		{"x --verbose", "--verbose"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		becomes(cases[i].line, cases[i].expected);
}

static void test_variables(void **state)
{
	char out[64];

	(void)state;
	secret_mask_variable("API_KEY", "abc", out, sizeof(out));
	assert_string_equal(out, "***");
	secret_mask_variable("DATABASE_URL", "postgres://bob:abc@db/x", out, sizeof(out));
	assert_string_equal(out, "postgres://bob:***@db/x");
	secret_mask_variable("HOME", "/home/bob", out, sizeof(out));
	assert_string_equal(out, "/home/bob");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_urls),
		cmocka_unit_test(test_arguments), cmocka_unit_test(test_plain),
		cmocka_unit_test(test_room),	  cmocka_unit_test(test_command_lines),
		cmocka_unit_test(test_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
