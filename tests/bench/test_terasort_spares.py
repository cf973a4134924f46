"""Tests of bench/terasort_spares.py: what its page says of numbers that are given."""

import importlib.util
import os
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
spec = importlib.util.spec_from_file_location("terasort_spares", os.path.join(BENCH, "terasort_spares.py"))
terasort_spares = importlib.util.module_from_spec(spec)
spec.loader.exec_module(terasort_spares)


def page(**seconds):
    median = {name.replace("_", " "): value for name, value in seconds.items()} | {"half-shuffled": seconds["death"]}
    return terasort_spares.page({"machine": terasort_spares.describe(terasort_spares.Programs("/")), "records": 10_000_000, "ranks": 8, "cores": 2,
                                 "turns": 1, "median_s": median, "failures": []})


class Places(unittest.TestCase):
    def test_what_it_starts_beside_polder_is_beside_it_where_it_is_built(self):
        built = os.path.dirname(os.environ["POLDER_BENCH"])
        names = [name for name in os.listdir(os.path.join(BENCH, "peers")) if name.endswith(".py")]
        self.assertEqual([name for name in names if not os.path.exists(os.path.join(built, "peers", name))], [])


class Page(unittest.TestCase):
    def test_a_death_may_cost_a_quarter_of_the_undisturbed_run(self):
        self.assertIn("| +25.0% | 25%: met |", page(undisturbed=2.0, death=2.5))
        self.assertIn("| +26.0% | 25%: NOT met |", page(undisturbed=2.0, death=2.52))

    def test_starting_again_is_what_was_done_and_a_whole_run(self):
        text = page(undisturbed=2.0, death=2.5, **{"end_at_half-shuffled": 1.0})
        self.assertIn("3.000 (+50.0%)", text)

    def test_nothing_is_judged_without_an_undisturbed_run(self):
        self.assertNotIn("met", page(without_spares=2.0, death=2.5))

    def test_a_death_under_spark_is_compared_with_spark(self):
        text = page(undisturbed=2.0, death=2.5, **{"Spark,_undisturbed": 20.0, "Spark,_an_executor_dies_after_50%": 30.0})
        self.assertIn("| Spark, undisturbed | 20.000 |", text)
        self.assertIn("| Spark, an executor dies after 50% | 30.000 | +50.0% |", text)
        self.assertNotIn("after 25%", text)


if __name__ == "__main__":
    unittest.main()
