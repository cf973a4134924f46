import unittest

from polder_bench.figures import FIGURES, curves
from tables import table


def figure(name):
    return next(one for one in FIGURES if one.name == name)


class Curves(unittest.TestCase):
    def test_one_line_per_implementation(self):
        same = {"name": "barrier", "ranks": 4}
        made = table((2000, same), (1000, {"name": "barrier", "ranks": 2}), (5000, {**same, "impl": "mpich", "setting": "default"}),
                     (4000, {**same, "impl": "openmpi", "setting": "yield"}), (9000, {**same, "impl": "openmpi", "setting": "default"}),
                     (1, {"name": "barrier", "ranks": 8, "hogs": True}))
        found = {line.impl: (line.x, line.y) for line in curves(made, figure("barrier"))}
        self.assertEqual(found, {"polder": ((2, 4), (1, 2)), "mpich": ((4,), (5,)), "openmpi": ((4,), (4,))})

    def test_the_limit_goes_along(self):
        made = table((10, {"name": "put_bandwidth", "ranks": 2, "size": 100}), (5, {"name": "memcpy_there", "ranks": 2, "size": 100, "impl": "limit"}))
        found = {line.impl: line.y for line in curves(made, figure("put_bandwidth"))}
        self.assertEqual(found, {"polder": (10,), "limit": (20,)})

    def test_curves_over_sizes_stay_with_one_number_of_ranks(self):
        made = table((10, {"name": "allreduce", "ranks": 2, "size": 8}), (99, {"name": "allreduce", "ranks": 4, "size": 8}))
        self.assertEqual(curves(made, figure("allreduce"))[0].y, (0.01,))

    def test_nothing_measured_no_curves(self):
        self.assertEqual(curves(table(), figure("ring")), [])


if __name__ == "__main__":
    unittest.main()
