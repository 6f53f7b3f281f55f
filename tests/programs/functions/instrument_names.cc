// Names as the linker has them and as people write them.
#include <cstdio>

namespace mesh
{
struct cell {
	int value;
	__attribute__((noinline)) int cut(int by, double scale) const
	{
		return (int)((value - by) * scale);
	}
	__attribute__((noinline)) int operator()(int by) const
	{
		return value + by;
	}
};
template <typename T> __attribute__((noinline)) T twice(T value)
{
	return value + value;
}
} // namespace mesh

int main(int argc, char **)
{
	mesh::cell cell{argc};

	std::printf("%d %d %d\n", cell.cut(3, 2.5), cell(4), mesh::twice(argc));
	return 0;
}
