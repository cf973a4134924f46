import unittest

from polder_bench.stats import quantile, summarise


class Quantile(unittest.TestCase):
    def test_ends_and_middle(self):
        self.assertEqual(quantile([3, 1, 2], 0), 1)
        self.assertEqual(quantile([3, 1, 2], 0.5), 2)
        self.assertEqual(quantile([3, 1, 2], 1), 3)

    def test_between_two_values(self):
        self.assertAlmostEqual(quantile([10, 20], 0.25), 12.5)

    def test_one_value(self):
        self.assertEqual(quantile([7], 0.9), 7)

    def test_refuses_nonsense(self):
        with self.assertRaises(ValueError):
            quantile([], 0.5)
        with self.assertRaises(ValueError):
            quantile([1], 1.5)


class Summarise(unittest.TestCase):
    def test_is_the_median_of_medians(self):
        # The mean, or the median of all samples together, would be drawn up by the disturbed middle turn.
        summary = summarise([[1, 2, 3], [100, 100, 100, 100, 100], [4, 4, 4]])
        self.assertEqual(summary.turns, (2, 100, 4))
        self.assertEqual(summary.median, 4)

    def test_quartiles_are_of_turns(self):
        summary = summarise([[1], [2], [3], [4], [5]])
        self.assertEqual((summary.low, summary.median, summary.high), (2, 3, 4))

    def test_empty_turns_do_not_count(self):
        self.assertEqual(summarise([[], [5]]).median, 5)
        with self.assertRaises(ValueError):
            summarise([[]])


if __name__ == "__main__":
    unittest.main()
