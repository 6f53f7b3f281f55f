/* For test_locations.py: functions of another file that are inlined. */
static inline int twist(int a)
{
	return a ^ (a << 3);
}
static inline int scale(int a, int b)
{
	a = twist(a);
	return a * b + twist(b * a);
}
