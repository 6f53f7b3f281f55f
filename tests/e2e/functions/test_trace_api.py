"""--trace-api: calls into libraries through their exported functions, which stay as they are."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import functions_support
import pytest
import support

COSTS = ["counts", "full"]

LIBRARY = """
#include <stdarg.h>
struct large { long a[9]; };
int counted;
int add(int a, int b) { counted++; return a + b; }
double scale(double a, float b) { return a * b; }
long double extended(long double a) { return a / 3; }
_Complex double turned(_Complex double a) { return a * 1.0i; }
struct large enlarge(int n) { struct large l;
	for (int i = 0; i < 9; i++) l.a[i] = n * i; return l; }
long many(int n, ...) { va_list l; long s = 0; va_start(l, n);
	while (n--) s = s * 7 + va_arg(l, int); va_end(l); return s; }
int twice(int (*f)(int), int n) { return n ? f(n) + twice(f, n - 1) : 0; }
static int hidden(int a) { return add(a, 1); }
int through(int a) { return hidden(a) + hidden(a + 1); }
static void fill(volatile char *at, int n) { while (n--) at[n] = n; }
long realigned(int n, struct large l, int a) {
	_Alignas(64) volatile char first[64]; volatile char then[n];
	fill(first, 64); fill(then, n); return first[3] + then[n - 1] + l.a[8] + a; }
#define BEGIN(name) ".globl " #name "\\n.type " #name ", @function\\n" #name ": .cfi_startproc\\n"
#define END(name) ".cfi_endproc\\n.size " #name ", . - " #name "\\n"
__asm__(".text\\n"
	/* As compilers do where flags are to be kept. */
	BEGIN(eased) "lea -24(%rsp), %rsp\\n.cfi_def_cfa_offset 32\\nlea 1(%rdi), %eax\\n"
	"lea 24(%rsp), %rsp\\n.cfi_def_cfa_offset 8\\nret\\n" END(eased)
	BEGIN(place) "lea -24(%rsp), %rsp\\n.cfi_def_cfa_offset 32\\nlea 24(%rsp), %rax\\n"
	"add $24, %rsp\\n.cfi_def_cfa_offset 8\\nret\\n" END(place));
"""

PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <pthread.h>
struct large { long a[9]; };
int add(int, int); double scale(double, float); long double extended(long double);
_Complex double turned(_Complex double); struct large enlarge(int); long many(int, ...);
int twice(int (*)(int), int); int through(int);
long realigned(int, struct large, int); int eased(int); void **place(void);
int (*volatile pointer)(int, int) = add;
static int back(int n) { return add(n, n); }
static void *work(void *unused) { long s = 0;
	for (int i = 0; i < 1000; i++) s += add(i, 1);
	return (void *)s; }
int main(void) {
	pthread_t threads[3]; void *result; _Complex double z = turned(3 + 4i);
	int (*found)(int, int) = dlsym(RTLD_DEFAULT, "add");
	printf("%d %g %Lg %g %g\\n", add(1, 2), scale(1.5, 2), extended(1), __real__ z, __imag__ z);
	printf("%ld %ld\\n", enlarge(3).a[8], many(9, 1, 2, 3, 4, 5, 6, 7, 8, 9));
	printf("%d %d %d %d\\n", twice(back, 5), through(4), pointer(5, 6), found(7, 8));
	printf("%d\\n", pointer == add && found == add);
	printf("%ld %d %d\\n", realigned(5, enlarge(3), 7), eased(4), place() != 0);
	for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], &result); printf("%ld\\n", (long)result); }
	return 6;
}
"""

LATER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
	for (int i = 0; i < 5; i++) {
		void *library = dlopen(argv[1], i % 2 ? RTLD_NOW : RTLD_LAZY);
		int (*add)(int, int) = (int (*)(int, int))dlsym(library, "add");
		printf("%d\\n", add(i, 1));
		dlclose(library);
	}
	return 0;
}
"""

BUILDS = {
    "lazy": ("-Wl,-z,lazy",),
    "now": ("-Wl,-z,now,-z,relro",),
    "no-plt": ("-fno-plt",),
    "no-pie": ("-no-pie",),
}


@functools.lru_cache(maxsize=None)
def workshop():
    folder = Path(tempfile.mkdtemp(prefix="kymo-api-"))
    make("libsmall.so", LIBRARY, "-O1", "-shared", "-fPIC", folder=folder)
    make("later", LATER, "-ldl", folder=folder)
    for name, flags in BUILDS.items():
        link = (f"-L{folder}", "-lsmall", f"-Wl,-rpath,{folder}", "-pthread", "-ldl")
        make(name, PROGRAM, "-O1", *flags, *link, folder=folder)
    return folder


def make(name, text, *flags, folder):
    source = folder / f"{name}.c"
    source.write_text(text)
    command = ["gcc", "-g", "-o", str(folder / name), str(source), *flags]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr


@pytest.fixture(scope="module", autouse=True)
def clean_workshop():
    yield
    shutil.rmtree(workshop(), ignore_errors=True)
    workshop.cache_clear()


def trace(api, cost, program, *arguments, cwd):
    """Calls by function of a program that does under Kymo what it does without."""
    bare = support.run([program, *arguments], cwd=cwd)
    result = support.run_kymo(
        ["run", f"--trace-api={api}", "--", program, *arguments],
        cwd=cwd,
        env={
            "KYMO_OUTPUT_PATH": cwd / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_FINISH": "OFF",
            "KYMO_FUNCTIONS_COST": cost,
            "XDG_CACHE_HOME": workshop() / "cache",
        },
    )
    assert result.stdout == bare.stdout
    assert result.stderr == bare.stderr
    assert result.returncode == bare.returncode
    return support.region_calls(cwd / "out")


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("build", BUILDS)
def test_every_call_into_the_library_is_there(build, cost, tmp_path):
    calls = trace("small", cost, workshop() / build, cwd=tmp_path)
    assert calls["enlarge"] == 2
    assert calls["many"] == calls["through"] == calls["scale"] == 1
    assert calls["extended"] == calls["turned"] == 1
    assert calls["twice"] in (1, 6)  # compilers may let it call itself directly
    assert calls["add"] == 1 + 5 + 2 + 1 + 1 + 3000
    assert calls["realigned"] == calls["eased"] == 1  # leave their frames by lea
    assert "place" not in calls  # it looks where its return address is
    assert "hidden" not in calls
    assert "back" not in calls


@pytest.mark.parametrize("cost", COSTS)
def test_functions_are_chosen_by_their_names(cost, tmp_path):
    calls = trace("small:^(scale|many)$", cost, workshop() / "lazy", cwd=tmp_path)
    assert calls["scale"] == calls["many"] == 1
    assert "add" not in calls
    assert "through" not in calls


@pytest.mark.parametrize("cost", COSTS)
def test_libraries_that_are_loaded_later(cost, tmp_path):
    calls = trace("libsmall", cost, workshop() / "later", workshop() / "libsmall.so", cwd=tmp_path)
    assert calls["add"] == 5


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(
    "name", ["functions_calls.c", "functions_jumps.c", "functions_threads.c", "functions_throws.cc"]
)
def test_programs_that_call_in_every_way_into_all_of_their_libraries(name, cost, tmp_path):
    program = functions_support.compile(name, functions_support.find_build("O2"))
    calls = trace("c,stdc++,m,gcc_s", cost, program, cwd=tmp_path)
    assert sum(calls.values()) > 10


def test_a_library_by_the_name_that_it_has_for_itself(tmp_path):
    """Its file may be called otherwise, as that of libopenblas.so.0 is."""
    library = tmp_path / "libsmallest-r1.so"
    make(library.name, LIBRARY, "-shared", "-fPIC", "-Wl,-soname,libtiny.so.1", folder=tmp_path)
    calls = trace("tiny", "full", workshop() / "later", library, cwd=tmp_path)
    assert calls["add"] == 5
    result = support.run_kymo(
        ["run", "--trace-api=tiny,tin", "--", workshop() / "later", library],
        cwd=tmp_path,
        env={"KYMO_OUTPUT_PATH": tmp_path / "other", "XDG_CACHE_HOME": workshop() / "cache"},
    )
    said = " ".join(result.stderr.split())
    assert "that --trace-api 'tin' means" in said and "'tiny'" not in said


def test_what_cannot_be_is_said(tmp_path):
    for wrong in ("small:(", ":x"):
        result = support.run_kymo(["run", f"--trace-api={wrong}", "--", "true"], cwd=tmp_path)
        assert result.returncode == 2
        assert len(result.stderr.splitlines()) == 1
    result = support.run_kymo(
        ["run", "--trace-api=small:^nothing$", "--", workshop() / "lazy"],
        cwd=tmp_path,
        env={"KYMO_OUTPUT_PATH": tmp_path / "out", "XDG_CACHE_HOME": tmp_path / "cache"},
    )
    assert result.returncode == 6
    assert "exports no function that is asked for" in result.stderr
