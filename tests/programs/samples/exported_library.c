/* For test_export_samples.py: as a library, what is loaded late and works; else the program. */
#ifdef LIBRARY
static inline unsigned mix(unsigned value)
{
	value ^= value << 13;
	value ^= value >> 17;
	return value ^ value << 5;
}

static __attribute__((noinline)) unsigned churn(unsigned value, long count)
{
	while (count-- > 0)
		value = mix(value);
	return value;
}

unsigned work(unsigned value);
unsigned work(unsigned value)
{
	return churn(value, 200 * 1000 * 1000);
}
#else
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
	unsigned (*work)(unsigned) = 0;

	if (library)
		*(void **)&work = dlsym(library, "work");
	return !work || work((unsigned)argc) == 0;
}
#endif
