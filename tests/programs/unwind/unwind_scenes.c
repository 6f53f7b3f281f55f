/* Scenes for the unwinder: `unwind_scenes NAME` steps through one of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unwind_steps.h"

#define noinline __attribute__((noinline))

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static volatile double sum;

static noinline int on_variable(int n)
{
	int array[n], *more = __builtin_alloca((size_t)n * 3);

	memset(array, n, sizeof(array));
	memset(more, 1, (size_t)n * 3);
	sum += array[n / 2] + ((char *)more)[n];
	return n == 1 ? 0 : on_variable(n - 1) + array[0];
}

typedef double wide __attribute__((vector_size(32)));

static noinline void fill(wide *at, int n)
{
	for (int i = 0; i < 4; i++)
		(*at)[i] = n + i;
}

/* Locals that want 32 bytes: the stack is aligned anew. */
static noinline double on_aligned(int n)
{
	_Alignas(64) wide local;

	fill(&local, n);
	sum += local[n & 3];
	return n == 0 ? local[0] : on_aligned(n - 1) + local[1];
}

static noinline double on_aligned_variable(int n)
{
	_Alignas(64) wide local[n + 1];

	fill(&local[n], n);
	sum += local[n][n & 3];
	return n == 0 ? local[0][0] : on_aligned_variable(n - 1) + local[n][1];
}

static noinline int many_arguments(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	sum += a + b + c;
	return d + e + f + g + h + i + (a > 0 ? many_arguments(a - 1, b, c, d, e, f, g, h, i) : 0);
}

static noinline int kept_registers(int a, int b, int c, int d, int e, int f)
{
	int x = a * 3, y = b * 5, z = c * 7;

	if (a <= 0)
		return b;
	x += kept_registers(a - 1, b, c, d, e, f);
	y += kept_registers(a - 2, y, x, d, f, e);
	z += many_arguments(1, x, y, z, a, b, c, d, e);
	return x ^ y ^ z ^ e ^ f;
}

static noinline int tail(int n)
{
	return n == 0 ? getppid() : tail(n - 1);
}

static void scene_own(void)
{
	on_variable(20);
	on_aligned(5);
	on_aligned_variable(5);
	kept_registers(5, 1, 2, 3, 4, 5);
	tail(10);
}

static void scene_sorting(void)
{
	int values[100];

	srand(1);
	for (int i = 0; i < 100; i++)
		values[i] = rand();
	qsort(values, 100, sizeof(values[0]), compare_ints);
}

static void scene_texts(void)
{
	char text[300];
	double number;

	snprintf(text, sizeof(text), "%d %s %.17g %Lf %p %ls", 17, "text", 3.14159, 2.5L, text,
		 L"wide");
	number = strtod("1.7976931348623157e308", NULL);
	sum += number + strlen(text) + strcmp(text, "17") + sin(number) + pow(1.5, 7.25);
	memmove(text + 10, text, 200);
	sum += (double)(strstr(text, "3.14") - text);
}

static void scene_memory(void)
{
	void *blocks[50];

	for (int i = 0; i < 50; i++)
		blocks[i] = malloc((size_t)(i * i * 50 + 1));
	for (int i = 0; i < 50; i += 2)
		free(blocks[i]);
	for (int i = 1; i < 50; i += 2)
		blocks[i] = realloc(blocks[i], (size_t)(i * 333));
	for (int i = 1; i < 50; i += 2)
		free(blocks[i]);
}

/* The loader: lazily bound calls through their stubs, symbols, a library that comes and goes. */
static void scene_loader(void)
{
	void *library = dlopen("libanl.so.1", RTLD_LAZY);

	sum += dlsym(RTLD_DEFAULT, "qsort") != NULL;
	sum += getpid() + (double)time(NULL) + (double)clock() + labs(-3);
	sum += atan(0.3) + erf(0.4) + lgamma(2.5);
	if (library)
		dlclose(library);
}

static void scene_jumps(void)
{
	static jmp_buf place;
	static sigjmp_buf other;

	for (volatile int i = 0; i < 3; i++)
		if (setjmp(place) == 0)
			longjmp(place, 1);
	if (sigsetjmp(other, 1) == 0)
		siglongjmp(other, 1);
}

/* As kernels are written: no description, the stack pointer kept in rbx below an aligned
 * room, rbp used for a number. */
int kernel(long times, int (*callee)(void));
__asm__(".text\n"
	".type kernel, @function\n"
	"kernel:\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	sub $0x48, %rsp\n"
	"	mov %rbx, (%rsp)\n"
	"	mov %r13, 8(%rsp)\n"
	"	mov %rsp, %rbx\n"
	"	sub $0x1080, %rsp\n"
	"	and $-64, %rsp\n"
	"	mov %rdi, %rbp\n"
	"	xor %r12d, %r12d\n"
	"	pxor %xmm0, %xmm0\n"
	"1:	add $1, %r12\n"
	"	movaps %xmm0, (%rsp)\n"
	"	lea (%rbp, %r12, 2), %r13\n"
	"	cmp %rbp, %r12\n"
	"	jl 1b\n"
	"	call *%rsi\n"
	"	cmp $0, %r12\n"
	"	je 1b\n"
	"	jmp 2f\n"
	"	ud2\n"
	"2:	mov %rbx, %rsp\n"
	"	mov (%rsp), %rbx\n"
	"	mov 8(%rsp), %r13\n"
	"	add $0x48, %rsp\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	ret\n"
	".size kernel, . - kernel\n");

static noinline int called_by_kernel(void)
{
	return tail(3) + kept_registers(2, 1, 2, 3, 4, 5);
}

static void scene_assembly(void)
{
	for (int i = 0; i < 10; i++)
		sum += kernel(20, called_by_kernel);
}

static const struct scene {
	const char *name;
	void (*run)(void);
} scenes[] = {
	{"own", scene_own},	{"assembly", scene_assembly}, {"sorting", scene_sorting},
	{"texts", scene_texts}, {"memory", scene_memory},     {"loader", scene_loader},
	{"jumps", scene_jumps},
};

int main(int count, char **names)
{
	steps_prepare();
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		if (count < 2 || strcmp(names[1], scenes[i].name) != 0)
			continue;
		steps_begin();
		scenes[i].run();
		steps_end();
		return steps_report(names[1]);
	}
	return 2;
}
