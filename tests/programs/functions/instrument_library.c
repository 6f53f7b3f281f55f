/* A library whose one function is called five times. */
int library_step(int value);

__attribute__((noinline)) int library_step(int value)
{
	return value * value - 1;
}
