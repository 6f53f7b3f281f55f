// Guards end what they began however their block is left.
#include <kymo/kymo.h>

#include <stdexcept>
#include <string>

namespace shapes
{

template <class T> struct solver {
	T solve(T value) const
	{
		KYMO_FUNCTION();
		KYMO_REGION("inside");
		if (value > 2)
			throw std::runtime_error("too much");
		return value;
	}
};

} // namespace shapes

static int nested(int depth)
{
	std::string name = "nested " + std::to_string(depth);
	kymo::region guard{name.c_str(), {kymo::value("depth", depth), kymo::value("name", name)}};

	return depth ? nested(depth - 1) : 0;
}

int main()
{
	shapes::solver<double> solver;
	kymo::phase phase{"all"};

	for (int i = 0; i < 5; i++) {
		kymo::region guard{"attempt"};
		try {
			solver.solve(i);
		} catch (const std::runtime_error &) {
			kymo::region after{"caught"};
		}
	}
	return nested(2);
}
