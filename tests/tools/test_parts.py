"""The list of parts that are built only where something else is installed has all of them."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
# What has each library, or module of pkg-config, that a build may do without.
PACKAGES = {"fabric": "libfabric-dev", "ucp": "libucx-dev", "pmix": "libpmix-dev", "hwloc": "libhwloc-dev", "otf2": "libotf2-trace-dev",
            "fftw3": "libfftw3-dev", "openblas": "libopenblas-dev"}
SOUGHT = re.compile(r"find_library\(\s*\w+\s+(?:NAMES\s+)?\"?(\w+)|pkg_check_modules\(\s*\w+\s+(?:(?:QUIET|IMPORTED_TARGET)\s+)*\"?(\w+)")


class Parts(unittest.TestCase):
    def test_each_library_that_is_looked_for_has_its_part(self):
        parts = (ROOT / "cmake" / "PolderParts.cmake").read_text()
        made = [path for folder in ("src", "apps") for path in sorted((ROOT / folder).rglob("CMakeLists.txt"))]
        found = {one or other for path in made for one, other in SOUGHT.findall(path.read_text())}
        self.assertEqual(found, set(PACKAGES))
        for library in found:
            self.assertIn(f'"{PACKAGES[library]}', parts, f"{library} is looked for, and has no polder_part()")


if __name__ == "__main__":
    unittest.main()
