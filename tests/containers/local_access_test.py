#!/usr/bin/env python3
"""An element of a container's local part costs the processor what one of plain memory does: the same instructions.

    OBJDUMP=objdump OBJECT=local_access.o python3 local_access_test.py
"""

import os
import re
import subprocess
import unittest


def instructions(name):
    """The mnemonics of a function, without what fills up its end."""
    text = subprocess.run([os.environ["OBJDUMP"], "-d", "--no-show-raw-insn", os.environ["OBJECT"]], check=True, capture_output=True, text=True).stdout
    body = re.search(rf"<{name}>:\n((?:.+\n)*)", text + "\n")[1]
    words = [line.split("\t")[1].split()[0] for line in body.strip().split("\n")]
    return words[:words.index("ret") + 1]


class LocalAccessTest(unittest.TestCase):
    def test_same_instructions(self):
        self.assertEqual(instructions("through_container"), instructions("through_span"))
        self.assertLessEqual(len(instructions("through_container")), 4)


if __name__ == "__main__":
    unittest.main()
