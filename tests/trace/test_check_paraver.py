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
ConfigFile.NumWindows: 2
< NEW DISPLAYING WINDOW Calls >
window_filter_module evt_type 1 69000000
window_filter_module evt_type_label 1 "GASPI call"
< NEW DISPLAYING WINDOW Sizes and ranks >
window_filter_module evt_type 2 69000001 69000002
window_filter_module evt_type_label 2 "GASPI size" "GASPI rank"
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

    def refuses(self, old, new, why):
        self.assertIn(old, PRV)
        found = defects(PRV.replace(old, new))
        self.assertTrue(any(why in defect for defect in found), f"{new!r} for {old!r}: {found}")

    def test_each_defect_is_found(self):
        for old, new, why in (
                ("69000000:21", "69000000:x", "a field that is no number"),
                ("2:0:1:1:1:100", "2:9:1:1:1:100", "there is no [9, 1, 1, 1]"),
                ("2:0:1:1:1:100", "2:0:1:3:1:100", "there is no [0, 1, 3, 1]"),
                ("2:0:1:1:1:100", "2:0:1:1:2:100", "there is no [0, 1, 1, 2]"),
                ("200:0:1:2:1:50", "200:0:1:3:1:50", "there is no [0, 1, 3, 1]"),
                (":69000001:64", ":69000001", "an odd list"),
                ("3:0:1:1:1:100", "7:0:1:1:1:100", "no record"),
                ("200:1000:1\n", "200:10", "the last line is cut off"),
                ("2:0:1:1:1:200:69000000:0\n", "", "GASPI call 21 of 100 never ends"),
                ("200:69000000:0", "200:69000000:21", "has no exit before the next entry"),
                ("20/11/2026", "31/11/2026", "there is no day 31/11/2026"),
                ("20/11/2026", "29/02/2026", "there is no day 29/02/2026"),
                ("20/11/2026", "20/13/2026", "there is no day 20/13/2026"),
                ("at 11:40", "at 24:40", "there is no day"),
                ("20/11/2026", "2026/11/20", "no header"),
                ("1000_ns", "1000", "no header with _ns"),  # read as microseconds
                ("1000_ns", "900_ns", "a state from 0 to 1000 of 900"),
                ("\n", "\r\n", "CR LF"),
                ("1:1:1:100:200:25", "1:1:1:100:100:25", "a state from 100 to 100"),
                ("1:1:1:0:100:1", "1:1:1:0:90:1", "a gap or an overlap"),
                ("1:1:1:0:100:1", "1:1:1:0:110:1", "a gap or an overlap"),
                ("69000000:21", "69000000:22", "value 22 has no label"),
                ("69000000:21", "69000009:21", "event type 69000009 has no label"),
                ("100:200:25", "100:200:26", "state 26 has no name"),
                ("50:300:64", "50:150:64", "runs backwards"),
                ("50:300:64", "350:300:64", "runs backwards"),
                (",1\nc", ",2\nc", "no communicator"),
                ("c:1:1:2:1:2", "c:1:1:3:1:2", "no communicator"),
                ("c:1:1:2:1:2", "c:1:1:2:1:9", "no communicator"),
                (PRV[PRV.index("\nc"):], "\nc:1:1:2:1:2\n", "a header and no record")):
            with self.subTest(new):
                self.refuses(old, new, why)

    def test_a_call_of_no_length_is_found(self):
        ends = "2:0:1:1:1:200:69000000:0\n"
        begins = PRV[PRV.index("2:0:1:1:1:100"):].split("\n", maxsplit=1)[0] + "\n"
        prv = PRV.replace(ends, "").replace(begins, begins + ends.replace("200", "100"))
        self.assertTrue(any("it ends when it begins, at 100" in defect for defect in defects(prv)))

    def test_events_of_a_configuration_that_the_trace_lacks_are_found(self):
        self.assertEqual(defects(cfg=CFG), [])
        self.assertEqual(defects(cfg=CFG.replace("69000000", "69009999")), [], "labels beat numbers")
        self.assertEqual(defects(cfg=CFG.replace("GASPI size", "Bytes")), [], "and numbers count where the trace does not know the label")
        for old, new, why in (
                ('69000000\n', '69000003\n', None),  # its label is known: that one counts
                ('1 "GASPI call"', '1 "GASPI queue"', "no event of type 69000000 GASPI queue"),
                ('69000002\n', '69000003\n', None),
                ('"GASPI rank"', '"GASPI queue"', "no event of type 69000002 GASPI queue"),  # one of two, in the second window
                ('69000001 69000002\n', '69000001 69009999\n', None),
                ('2 "GASPI size" "GASPI rank"', '1 "GASPI size"', "1 labels are there"),
                ("evt_type 2 69000001 69000002", "evt_type 2 69000001", "2 types are announced"),
                ("NumWindows: 2", "NumWindows: 1", "it has 2 windows"),
                ("#ParaverCFG", "#Paraver", "no configuration")):
            with self.subTest(new):
                self.assertIn(old, CFG)
                found = defects(cfg=CFG.replace(old, new))
                self.assertEqual(any(why in defect for defect in found) if why else found, bool(why) or [], found)
        unknown = CFG.replace("69000002\n", "69009999\n").replace("GASPI rank", "MPI call")
        self.assertTrue(any("no event of type 69009999 MPI call" in defect for defect in defects(cfg=unknown)))

    def test_a_missing_configuration_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for suffix, text in (("prv", PRV), ("pcf", PCF), ("row", ROW)):
                with open(os.path.join(folder, "t." + suffix), "w", encoding="utf-8") as file:
                    file.write(text)
            stem = os.path.join(folder, "t")
            self.assertTrue(any("none.cfg" in defect for defect in check_paraver.check(stem, [stem + "none.cfg"])[0]))

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
