"""The checker of Paraver's files finds each defect that Paraver's own reader passes over."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_paraver

PRV = """#Paraver (20/11/2026 at 11:40):1000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
1:0:1:1:1:0:100:1
1:0:1:2:1:0:1000:1
1:0:1:1:1:100:200:25
2:0:1:1:1:100:69000000:21:69000002:2:69000001:64
3:0:1:1:1:100:200:0:1:2:1:50:300:64:5
2:0:1:1:1:200:69000000:0
1:0:1:1:1:200:1000:1
"""
PCF = """STATES
1    Running
25    One-sided op

EVENT_TYPE
0    69000000    GASPI call
VALUES
0    Outside GASPI
21    gaspi_write_notify

EVENT_TYPE
0    69000001    GASPI size

EVENT_TYPE
0    69000002    GASPI rank
VALUES
1    0
2    1

EVENT_TYPE
0    69000003    GASPI queue

EVENT_TYPE
0    69000004    GASPI notification_id

"""
ROW = "LEVEL THREAD SIZE 2\nrank 0\nrank 1\n"


CFG = """#ParaverCFG
window_filter_module evt_type 1 69000000
window_filter_module evt_type_label 1 "GASPI call"
"""


def defects(prv=PRV, pcf=PCF, row=ROW, cfg=None):
    with tempfile.TemporaryDirectory() as folder:
        for suffix, text in (("prv", prv), ("pcf", pcf), ("row", row), ("cfg", cfg)):
            if text is not None:
                with open(os.path.join(folder, "t." + suffix), "w", newline="", encoding="utf-8") as file:
                    file.write(text)
        stem = os.path.join(folder, "t")
        return check_paraver.check(stem, [] if cfg is None else [stem + ".cfg"])[0]


class CheckParaver(unittest.TestCase):
    def test_what_is_right_passes(self):
        self.assertEqual(defects(), [])

    def refuses(self, old, new, **other):
        self.assertIn(old, PRV)
        found = defects(PRV.replace(old, new), **other)
        self.assertTrue(found, f"{new!r} for {old!r} was not found out")

    def test_each_defect_is_found(self):
        for old, new in (
                ("69000000:21", "69000000:x"),                    # no number
                ("2:0:1:1:1:100", "2:9:1:1:1:100"),               # no such cpu
                ("2:0:1:1:1:100", "2:0:1:3:1:100"),               # no such task
                ("2:0:1:1:1:100", "2:0:1:1:2:100"),               # no such thread
                (":69000001:64", ":69000001"),                    # an odd list
                ("3:0:1:1:1:100", "7:0:1:1:1:100"),               # no such record
                ("200:1000:1\n", "200:10"),                       # cut off
                ("2:0:1:1:1:200:69000000:0\n", ""),               # an entry without exit
                ("20/11/2026", "31/11/2026"),                     # a day that does not exist
                ("at 11:40", "at 24:40"),
                ("1000_ns", "1000"),                              # read as microseconds
                ("1000_ns", "900_ns"),                            # ends too early
                ("\n", "\r\n"),
                ("1:1:200:69000000:0", "1:1:100:69000000:0"),     # a call of no length, and out of order
                ("1:1:1:0:100:1", "1:1:1:0:90:1"),                # a gap between states
                ("1:1:1:0:100:1", "1:1:1:0:110:1"),               # an overlap
                ("69000000:21", "69000000:22"),                   # a value without a label
                ("69000000:21", "69000009:21"),                   # a type without a label
                ("100:200:25", "100:200:26"),                     # a state without a name
                ("50:300:64", "50:150:64"),                       # a message that runs backwards
                (",1\nc", ",2\nc"),                               # the number of communicators
                ("c:1:1:2:1:2", "c:1:1:3:1:2"),
                ("c:1:1:2:1:2", "c:1:1:2:1:9")):
            with self.subTest(new):
                self.refuses(old, new)

    def test_events_of_a_configuration_that_the_trace_lacks_are_found(self):
        self.assertEqual(defects(cfg=CFG), [])
        self.assertEqual(defects(cfg=CFG.replace("69000000", "69009999")), [], "labels beat numbers")
        for number, label in (("69000003", "GASPI queue"), ("69000003", "MPI call"), ("69009999", "MPI call")):
            with self.subTest(f"{number} {label}"):
                self.assertTrue(defects(cfg=CFG.replace("69000000", number).replace("GASPI call", label)))

    def test_random_order_is_found(self):
        lines = PRV.split("\n")
        lines[2:9] = reversed(lines[2:9])
        self.assertTrue(defects("\n".join(lines)))

    def test_missing_files_and_wrong_labels_are_found(self):
        for which in ("prv", "pcf", "row"):
            self.assertTrue(defects(**{which: None}), which)
        self.assertTrue(defects(pcf=PCF.replace("GASPI size", "size")))
        self.assertTrue(defects(pcf=PCF.replace("69000003    GASPI queue", "69000003    GASPI rank")))
        self.assertTrue(defects(row=ROW.replace("SIZE 2", "SIZE 3")))


if __name__ == "__main__":
    unittest.main()
