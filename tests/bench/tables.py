"""Makes Tables for the tests."""

from polder_bench.key import Key, Table
from polder_bench.stats import summarise


def table(*entries):
    """Of (nanoseconds, fields of the Key) pairs."""
    made = Table()
    for ns, fields in entries:
        made.add(Key(**fields), summarise([[ns]]))
    return made
