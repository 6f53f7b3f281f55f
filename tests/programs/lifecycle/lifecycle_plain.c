/* A program that needs nothing: it is also built for other machines and C libraries. */
#include <unistd.h>

int main(void)
{
	return write(1, "plain\n", 6) == 6 ? 3 : 4;
}
