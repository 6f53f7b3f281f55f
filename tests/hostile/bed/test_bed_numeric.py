"""OpenMP, Fortran and C++ programs under `kymo run --locks --trace`."""

import native_support as native
import pytest

pytestmark = pytest.mark.long

OPTIONS = ["--locks", "--trace"]

OPENMP = """
#include <omp.h>
#include <stdio.h>
int main(void)
{
	double sum = 0;
	long count = 0;
	omp_lock_t lock;
	omp_init_lock(&lock);
	omp_set_num_threads(4);
	for (int round = 0; round < 50; round++) {
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : sum)
		for (int i = 0; i < 1000; i++)
			sum += i;
#pragma omp parallel
		{
#pragma omp critical
			count++;
#pragma omp barrier
			omp_set_lock(&lock);
			count++;
			omp_unset_lock(&lock);
#pragma omp single
#pragma omp task
			count += 0;
		}
	}
	printf("%.0f %ld\\n", sum, count);
	return 4;
}
"""

FORTRAN = """
program numbers
  use omp_lib
  implicit none
  integer :: i, unit
  real(8) :: total
  real(8), allocatable :: values(:)
  character(len=20) :: text
  allocate(values(1000))
  total = 0
  call omp_set_num_threads(3)
  !$omp parallel do reduction(+:total)
  do i = 1, 1000
    values(i) = sqrt(real(i, 8))
    total = total + values(i)
  end do
  !$omp end parallel do
  print '(F12.4)', total
  open(newunit=unit, file='numbers.txt', status='replace')
  write(unit, *) 'text', 42
  rewind(unit)
  read(unit, '(A)') text
  close(unit)
  print *, trim(adjustl(text))
  call execute_command_line('echo from a command')
  stop 4
end program
"""

CPLUSPLUS = """
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>
static std::mutex lock;
static std::shared_mutex table;
static long count;
static thread_local struct late {
	~late() { std::lock_guard<std::mutex> held(lock); count++; }
} at_end;
static long work(int n)
{
	(void)&at_end;
	for (int i = 0; i < n; i++) {
		std::shared_lock<std::shared_mutex> reading(table);
		std::lock_guard<std::mutex> held(lock);
		count++;
	}
	std::unique_lock<std::shared_mutex> writing(table);
	return n;
}
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(work, 100);
	for (auto &thread : threads)
		thread.join();
	std::cout << std::async(std::launch::async, work, 50).get() << std::endl;
	auto failing = std::async(std::launch::async, [] { throw std::runtime_error("thrown"); });
	try {
		failing.get();
	} catch (const std::exception &error) {
		std::cout << error.what() << std::endl;
	}
	std::condition_variable changed;
	bool is_ready = false;
	std::thread waiter([&] {
		std::unique_lock<std::mutex> held(lock);
		changed.wait(held, [&] { return is_ready; });
	});
	{
		std::lock_guard<std::mutex> held(lock);
		is_ready = true;
	}
	changed.notify_all();
	waiter.join();
	std::cout << count << std::endl;
	return 4;
}
"""

SOURCES = {
    "openmp": ("c", OPENMP, "gcc", ("-fopenmp",), 4),
    "openmp of clang": ("c", OPENMP, "clang", ("-fopenmp",), 4),
    "fortran": ("f90", FORTRAN, "gfortran", ("-fopenmp",), 3),
    "c++": ("cpp", CPLUSPLUS, "g++", ("-std=c++17",), 8),
    "c++ of clang": ("cpp", CPLUSPLUS, "clang++", ("-std=c++17",), 8),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_program(tmp_path, kind):
    suffix, text, compiler, flags, threads = SOURCES[kind]
    source = tmp_path / f"program.{suffix}"
    source.write_text(text)
    if kind == "openmp of clang":
        native.find_library("libomp.so.5", "libomp.so")
    program = native.compile(source, *flags, compiler=compiler)
    both = native.Both([program], tmp_path, OPTIONS, status=4)
    assert both.said == [] and both.states()[native.STATE_OPEN] == 0
    largest = max(len(recording.threads) for recording in both.recordings)
    assert largest >= threads
