"""Tests of tools/check_deps.py on small made-up trees: each rule once kept and once broken."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
spec = importlib.util.spec_from_file_location("check_deps", os.path.join(TOOLS, "check_deps.py"))
check_deps = importlib.util.module_from_spec(spec)
sys.modules["check_deps"] = check_deps
spec.loader.exec_module(check_deps)


class CheckDepsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        # A tree that keeps every rule; each test breaks one.
        self.write("include/polder/types.hpp", "#pragma once\n#include <cstdint>\n")
        self.write("include/polder/runtime.hpp", "#pragma once\n#include <polder/types.hpp>\n")
        self.write("src/util/bell.hpp", "#pragma once\n")
        self.write("src/util/CMakeLists.txt", "polder_module(util LINK Threads::Threads)\n")
        self.write("src/device/device.hpp", '#include "util/bell.hpp"\n')
        self.write("src/device/CMakeLists.txt", "polder_module(device DEPENDS util)  # the contract\n")
        self.write("src/device/sim/link.cpp", '#include "device/device.hpp"\n')
        self.write("src/device/sim/CMakeLists.txt", "polder_module(device_sim DEPENDS device)\n")
        self.write("src/device/shm/link.cpp", '#include "device/device.hpp"\n#include "util/bell.hpp"\n')
        self.write("src/device/shm/CMakeLists.txt", "polder_module(device_shm DEPENDS device)\n")
        self.write("src/core/engine/core.cpp", '#include <polder/runtime.hpp>\n#include "device/sim/sim.hpp"\n')
        self.write("src/device/sim/sim.hpp", "#pragma once\n")
        self.write("src/core/CMakeLists.txt", "polder_module(core\n  DEPENDS device_sim device_shm\n  LINK m)\n")
        self.write("apps/sort/main.cpp", '#include "common/args.hpp"\n#include <polder/runtime.hpp>\n')
        self.write("apps/common/args.hpp", "#pragma once\n#include <polder/types.hpp>\n")

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def problems(self):
        return check_deps.check(self.root).problems

    def assert_one(self, place, *words):
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        self.assertTrue(problems[0].startswith(place + ": "), problems)
        for word in words:
            self.assertIn(word, problems[0])

    def test_clean_tree(self):
        report = check_deps.check(self.root)
        self.assertEqual(report.problems, [])
        self.assertEqual(report.files, 10)
        self.assertEqual(report.includes, 11)

    def test_upward_include(self):
        self.write("src/util/bell.cpp", '#include "util/bell.hpp"\n\n#include "device/device.hpp"\n')
        problems = self.problems()
        self.assertIn("src/util/bell.cpp:3: includes src/device/device.hpp: upward: util is row 0, device is row 2", problems)

    def test_upward_include_of_a_public_header(self):
        self.write("src/util/bell.cpp", "#include <polder/runtime.hpp>\n")
        problems = self.problems()
        self.assertEqual(len(problems), 2, problems)
        self.assertIn("src/util/bell.cpp:1: includes include/polder/runtime.hpp: upward: util is row 0, core is row 3", problems)
        self.assertIn("cycle: ", problems[1])

    def test_public_header_may_not_include_upward(self):
        self.write("include/polder/types.hpp", "#include <polder/runtime.hpp>\n")
        problems = self.problems()
        self.assertTrue(any(p.startswith("include/polder/types.hpp:1: ") and "upward" in p for p in problems), problems)

    def test_a_header_for_everybody_is_seen_by_applications_and_sees_nothing(self):
        self.write("src/util/replaced_file.hpp", "#pragma once\n")
        self.write("apps/sort/main.cpp", '#include "util/replaced_file.hpp"\n')
        self.assertEqual(self.problems(), [])
        self.write("src/util/replaced_file.hpp", '#pragma once\n#include "util/bell.hpp"\n')
        self.assert_one("src/util/replaced_file.hpp:2", "for everybody")

    def test_neighbours_of_one_row(self):
        self.write("src/bootstrap/join.cpp", '#include "device/device.hpp"\n')
        self.assert_one("src/bootstrap/join.cpp:1", "bootstrap and device are neighbours (row 2)")

    def test_neighbouring_parts_of_one_module(self):
        self.write("src/device/shm/other.cpp", '#include "device/sim/sim.hpp"\n')
        problems = self.problems()
        self.assertTrue(any("device/shm and device/sim are neighbours" in p for p in problems), problems)

    def test_contract_does_not_know_who_meets_it(self):
        self.write("src/device/device.cpp", '#include "device/sim/sim.hpp"\n')
        problems = self.problems()
        self.assertTrue(any("device is the contract of device/sim" in p for p in problems), problems)
        self.assertTrue(any("cycle: " in p for p in problems), problems)

    def test_missing_file(self):
        self.write("src/core/engine/other.cpp", '#include "util/bel.hpp"\n#include <polder/nowhere.hpp>\n')
        problems = self.problems()
        self.assertEqual(problems, ["src/core/engine/other.cpp:1: includes util/bel.hpp, which does not exist",
                                    "src/core/engine/other.cpp:2: includes polder/nowhere.hpp, which does not exist"])

    def test_missing_file_in_a_test(self):
        self.write("tests/util/bell_test.cpp", '#include "util/bell.hpp"\n#include "util/gong.hpp"\n')
        self.assert_one("tests/util/bell_test.cpp:2", "gong.hpp", "does not exist")

    def test_programs_see_public_headers_only(self):
        self.write("apps/sort/other.cpp", '#include "core/engine/core.hpp"\n')
        self.write("src/core/engine/core.hpp", "#pragma once\n")
        self.assert_one("apps/sort/other.cpp:1", "public headers only")

    def test_topology_sees_public_headers_and_util_only(self):
        self.write("src/topology/CMakeLists.txt", "polder_module(topology DEPENDS core)\n")
        self.write("src/topology/map.cpp", '#include <polder/runtime.hpp>\n#include "util/bell.hpp"\n')
        self.assertEqual(self.problems(), [])
        self.write("src/topology/tree.cpp", '#include "core/engine/core.hpp"\n')
        self.write("src/core/engine/core.hpp", "#pragma once\n")
        self.assert_one("src/topology/tree.cpp:1", "public headers only")

    def test_programs_do_not_include_each_other(self):
        self.write("apps/sort/sort.hpp", "#pragma once\n")
        self.write("apps/mean/main.cpp", '#include "apps/sort/sort.hpp"\n#include "sort/sort.hpp"\n')
        self.assertEqual(len([p for p in self.problems() if "apps/mean and apps/sort are neighbours" in p]), 2)

    def test_programs_may_set_include_paths_of_their_own(self):
        self.write("apps/sort/table.hpp", "#pragma once\n")
        self.write("apps/sort/deep/read.cpp", '#include "table.hpp"\n')
        self.write("tests/apps/sort/table_test.cpp", '#include "table.hpp"\n')
        self.assertEqual(self.problems(), [])
        self.write("apps/mean/main.cpp", '#include "deep/../table.hpp"\n#include "chart.hpp"\n#include "table.hpp"\n')
        self.assertEqual(len(self.problems()), 3, self.problems())

    def test_benchmarks_may_measure_applications_but_not_the_other_way(self):
        self.write("apps/sort/sort.hpp", "#pragma once\n")
        self.write("bench/peers/main.cpp", '#include "apps/sort/sort.hpp"\n')
        self.assertEqual(self.problems(), [])
        self.write("bench/peers/peers.hpp", "#pragma once\n")
        self.write("apps/sort/main.cpp", '#include "bench/peers/peers.hpp"\n')
        self.assertIn("neighbours", "".join(self.problems()))

    def test_adapter_has_its_own_header_and_the_public_ones(self):
        self.write("include/gaspi/GASPI.h", "#pragma once\n")
        self.write("src/api/gaspi/put.cpp", '#include <GASPI.h>\n#include <polder/runtime.hpp>\n')
        self.assertEqual(self.problems(), [])
        self.write("src/api/gaspi/wait.cpp", '#include "util/bell.hpp"\n')
        self.assert_one("src/api/gaspi/wait.cpp:1", "public headers only")

    def test_unowned_public_header(self):
        self.write("include/polder/surprise.hpp", "#pragma once\n")
        self.assert_one("include/polder/surprise.hpp:1", "no module owns")

    def test_unknown_module_folder(self):
        self.write("src/misc/things.hpp", "#pragma once\n")
        self.assert_one("src/misc:1", "in no row")

    def test_link_upward(self):
        self.write("src/util/CMakeLists.txt", "\npolder_module(util DEPENDS core)\n")
        problems = self.problems()
        self.assertIn("src/util/CMakeLists.txt:2: util DEPENDS core: upward: util is row 0, core is row 3", problems)

    def test_link_to_nothing(self):
        self.write("src/util/CMakeLists.txt", "polder_module(util DEPENDS nothing)\n")
        self.assert_one("src/util/CMakeLists.txt:1", "util DEPENDS nothing: there is no such module")

    def test_module_with_the_wrong_name(self):
        self.write("src/trace/CMakeLists.txt", "polder_module(tracing DEPENDS util)\n")
        self.assert_one("src/trace/CMakeLists.txt:1", "named trace")

    def test_included_but_not_linked(self):
        self.write("src/device/CMakeLists.txt", "polder_module(device)\n")
        problems = self.problems()
        self.assertTrue(any(p.startswith("src/device/device.hpp:1: ") and "does not link" in p for p in problems), problems)

    def test_programs_link_the_library_only(self):
        self.write("apps/sort/CMakeLists.txt", "add_executable(s main.cpp)\ntarget_link_libraries(s PRIVATE polder_core)\n")
        self.assert_one("apps/sort/CMakeLists.txt:2", "links polder_core")
        self.write("apps/sort/CMakeLists.txt", "target_link_libraries(s PRIVATE polder::polder polder_flags)\n")
        self.assertEqual(self.problems(), [])

    def test_folders_of_a_module_that_is_not_made_of_parts(self):
        self.write("src/codec/path/put.hpp", '#include "codec/trace.hpp"\n')
        self.write("src/codec/trace.hpp", "#pragma once\n")
        self.write("src/codec/other.cpp", '#include "codec/path/put.hpp"\n')
        self.assertEqual(self.problems(), [])

    def test_room_includes_rooms_below(self):
        self.write("src/core/peers/peers.hpp", "#pragma once\n")
        self.write("src/core/post/get.cpp", '#include "core/peers/peers.hpp"\n')
        self.assertEqual(self.problems(), [])
        self.write("src/core/peers/peers.cpp", '#include "core/peers/peers.hpp"\n\n#include "core/post/put.hpp"\n')
        self.write("src/core/post/put.hpp", "#pragma once\n")
        self.assert_one("src/core/peers/peers.cpp:3", "not downward", "core/peers is row 1", "core/post is row 6")

    def test_room_does_not_include_its_neighbour(self):
        self.write("src/core/segment/table.hpp", "#pragma once\n")
        self.write("src/core/health/news.cpp", '#include "core/segment/table.hpp"\n')
        self.assert_one("src/core/health/news.cpp:1", "not downward", "core/segment is row 3")

    def test_file_outside_of_the_rooms(self):
        self.write("src/core/loose.hpp", "#pragma once\n")
        self.assert_one("src/core/loose.hpp:1", "lies in no room of core")
        os.remove(os.path.join(self.root, "src/core/loose.hpp"))
        self.write("src/core/attic/old.hpp", "#pragma once\n")
        self.assert_one("src/core/attic/old.hpp:1", "lies in no room of core")

    def test_rooms_of_a_part(self):
        self.write("src/device/wire/wire_device.hpp", '#include "device/wire/link/link.hpp"\n')
        self.write("src/device/wire/link/link.hpp", "#pragma once\n")
        self.assertEqual(self.problems(), [])
        self.write("src/device/wire/link/bulk.cpp", '#include "device/wire/wire_device.hpp"\n')
        self.assert_one("src/device/wire/link/bulk.cpp:1", "not downward", "device/wire/link is row 2", "device/wire is row 10")
        self.write("src/device/wire/link/bulk.cpp", '#include "device/wire/post/poster.hpp"\n')
        self.write("src/device/wire/post/poster.hpp", "#pragma once\n")
        self.assert_one("src/device/wire/link/bulk.cpp:1", "not downward", "device/wire/post is row 9")
        os.remove(os.path.join(self.root, "src/device/wire/link/bulk.cpp"))
        self.write("src/device/wire/attic/old.hpp", "#pragma once\n")
        self.assert_one("src/device/wire/attic/old.hpp:1", "lies in no room of device/wire")

    def write_circle(self, size):
        """Units part0 .. that include each other in a circle: sources include the header of the next one."""
        for number in range(size):
            self.write(f"src/codec/part{number}.hpp", "#pragma once\n")
            self.write(f"src/codec/part{number}.cpp", f'#include "codec/part{(number + 1) % size}.hpp"\n')

    def test_header_that_most_of_core_is_compiled_from(self):
        self.write("src/core/engine/all.hpp", "#pragma once\n")
        self.write("src/core/engine/most.hpp", '#pragma once\n#include "core/engine/all.hpp"\n')
        self.write("src/core/engine/few.hpp", "#pragma once\n")
        for number in range(6):
            name = "all" if number < 4 else "few"
            self.write(f"src/core/engine/part{number}.cpp", f'#include "core/engine/{name}.hpp"\n')
        self.assertEqual(self.problems(), [])  # 4 of 7
        self.write("src/core/engine/part4.cpp", '#include "core/engine/most.hpp"\n')
        self.assert_one("src/core/engine/all.hpp:1", "5 of 7 sources of core", "60% at most")

    def test_circle_of_two_units(self):
        self.write_circle(2)
        self.assert_one("src/codec/part0:1", "2 units include each other in a circle", "src/codec/part1")

    def test_circle_of_programs(self):
        self.write("cli/part0.hpp", "#pragma once\n")
        self.write("cli/part0.cpp", '#include "part1.hpp"\n')
        self.write("cli/part1.hpp", '#pragma once\n#include "part0.hpp"\n')
        self.assert_one("cli/part0:1", "2 units include each other in a circle")

    def test_circles_that_meet_are_one(self):
        self.write_circle(3)
        self.write("src/codec/a.hpp", "#pragma once\n")
        self.write("src/codec/b.hpp", "#pragma once\n")
        self.write("src/codec/a.cpp", '#include "codec/part0.hpp"\n#include "codec/b.hpp"\n')
        self.write("src/codec/b.cpp", '#include "codec/a.hpp"\n')
        self.write("src/codec/part1.cpp", '#include "codec/part2.hpp"\n#include "codec/a.hpp"\n')
        self.assert_one("src/codec/a:1", "5 units include each other")

    def test_units_in_a_row(self):
        self.write("src/codec/a.hpp", "#pragma once\n")
        self.write("src/codec/b.hpp", '#pragma once\n#include "codec/a.hpp"\n')
        self.write("src/codec/b.cpp", '#include "codec/b.hpp"\n#include "codec/a.hpp"\n')
        self.assertEqual(self.problems(), [])

    def test_header_made_by_cmake(self):
        self.write("cli/info.cpp", '#include "build_info.hpp"\n')
        self.assert_one("cli/info.cpp:1", "does not exist")
        self.write("cli/build_info.hpp.in", "#pragma once\n")
        self.assertEqual(self.problems(), [])

    def test_include_in_a_comment_does_not_count(self):
        self.write("src/util/bell.cpp", '// #include "core/engine/core.hpp"\n')
        self.assertEqual(self.problems(), [])

    def test_exit_status(self):
        program = [sys.executable, os.path.join(TOOLS, "check_deps.py"), self.root]
        clean = subprocess.run(program, capture_output=True, text=True, check=False)
        self.assertEqual((clean.returncode, clean.stdout), (0, "10 files, 11 includes: clean\n"))
        self.write("src/util/bell.cpp", "#include <polder/runtime.hpp>\n")
        broken = subprocess.run(program, capture_output=True, text=True, check=False)
        self.assertEqual(broken.returncode, 1)
        self.assertIn("11 files, 12 includes: 2 violations", broken.stdout)


if __name__ == "__main__":
    unittest.main()
