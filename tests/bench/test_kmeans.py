"""Tests of bench/kmeans.py: what its page says of numbers that are given."""

import importlib.util
import os
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
spec = importlib.util.spec_from_file_location("kmeans", os.path.join(BENCH, "kmeans.py"))
kmeans = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kmeans)


def row(who, iteration, inertia=100.0):
    return {"who": who, "iteration": iteration, "inertia": inertia, "few": [0.0], "many": [1.0]}


class Page(unittest.TestCase):
    def test_an_iteration_is_held_against_the_goal(self):
        lines = {}
        for theirs in (0.25, 0.27):
            document = {"machine": kmeans.describe(kmeans.Programs("/")), "points": 1, "dims": 2, "clusters": 3, "ranks": 4,
                        "rows": [row("Polder", 0.2), row("scikit-learn", theirs)], "deaths": {}}
            lines[theirs] = [line for line in kmeans.page(document).splitlines() if "scikit" in line]
        self.assertIn("250 ms | 1.25 | 1.3: NOT met", lines[0.25][0])
        self.assertIn("270 ms | 1.35 | 1.3: met", lines[0.27][0])

    def test_other_clusters_are_told(self):
        document = {"machine": kmeans.describe(kmeans.Programs("/")), "points": 1, "dims": 2, "clusters": 3, "ranks": 4,
                    "rows": [row("Polder", 0.2), row("Spark", 9, 100.1)], "deaths": {}}
        self.assertIn("100.1 (other clusters)", kmeans.page(document))

    def test_a_death_may_cost_one_iteration_and_two_percent(self):
        deaths = {"undisturbed": 10.0, "with a spare": 10.39, "recovery with a spare": 0.01}
        self.assertIn("one iteration: met", "\n".join(kmeans.deaths_table({"deaths": deaths}, row("Polder", 0.2))))
        deaths["with a spare"] = 10.41
        self.assertIn("NOT met", "\n".join(kmeans.deaths_table({"deaths": deaths}, row("Polder", 0.2))))


if __name__ == "__main__":
    unittest.main()
