// For test_locations.py: templates, lambdas, functions of one file only.
#include <algorithm>
#include <vector>
#include <string>
#include <cstdio>
#include <map>
namespace
{
struct local {
	int v;
	int get(int k) const
	{
		return v * k;
	}
};
template <typename T> T hidden(T a, int n)
{
	T s = a;
	for (int i = 0; i < n; i++)
		s = s * 3 + i;
	return s;
}
} // namespace
namespace shop
{
template <typename T> struct box {
	std::vector<T> all;
	void put(T x)
	{
		all.push_back(x);
	}
	template <class F> void each(F f) const
	{
		for (auto &x : all)
			f(x);
	}
};
static __attribute__((noinline)) int only_here(int a)
{
	return a * 7 + hidden(a, 9);
}
} // namespace shop
static int run(int n)
{
	shop::box<int> b;
	std::map<std::string, int> m;
	for (int i = 0; i < n; i++) {
		b.put(shop::only_here(i));
		m[std::to_string(i)] = i;
	}
	std::sort(b.all.begin(), b.all.end(), [](int a, int c) { return a % 10 < c % 10; });
	int s = 0;
	local l{n};
	b.each([&](int x) { s += l.get(x); });
	return s + (int)m.size();
}
int main(int argc, char **)
{
	printf("%d\n", run(argc * 100));
}
