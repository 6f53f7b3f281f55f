/* Ranks of MPI, or threads of OpenMP, that work for one, two, three and four times as long, and
 * wait for each other: the runtimes of both spin meanwhile. */
#include <time.h>

#ifndef UNIT_S
#define UNIT_S 0.4 /* of the work of the first one */
#endif
#ifdef _OPENMP
#include <omp.h>
#else
#include <mpi.h>
#endif

static double own_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline)) void work(int number)
{
	double end_s = own_s() + UNIT_S * (number + 1);
	volatile double x = 1;

	while (own_s() < end_s)
		for (int i = 0; i < 100000; i++)
			x = x * 1.0000001;
}

int main(int argc, char **argv)
{
#ifdef _OPENMP
	(void)argc;
	(void)argv;
#pragma omp parallel num_threads(4)
	work(omp_get_thread_num());
#else
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	work(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
#endif
	return 0;
}
