"""Spark's sort of terasort's records, as bench/terasort_spares.py starts it: INPUT OUTPUT EXECUTORS MEMORY_MB KILL_AFTER [check]. Prints the seconds of the sort.

A local cluster: executors are processes of one core and so much memory, whose loss Spark hears of and repairs by itself. One of them gets SIGKILL so many seconds after the
sort began; 0: none does. Reading, sorting by the first ten bytes and writing are Spark SQL's, in the JVM, without Python. The start of the cluster does not count."""

import json
import os
import signal
import sys
import threading
import time

import pyspark
from pyspark.sql import DataFrame, SparkSession, Window, functions

os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
KEY = "substring(value, 1, 10)"
RECORD_BYTES = 100


def main():
    source, result, executors, memory, after = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    scratch = os.path.dirname(os.path.abspath(result))
    os.environ["SPARK_WORKER_DIR"] = os.path.join(scratch, "spark-work")
    session = (SparkSession.builder.master(f"local-cluster[{executors},1,{memory}]").config("spark.executor.memory", f"{memory}m")
               .config("spark.driver.memory", "2g").config("spark.local.dir", scratch).config("spark.ui.enabled", "false")
               .config("spark.driver.host", "127.0.0.1").config("spark.sql.files.maxPartitionBytes", 1 << 40).getOrCreate())
    session.sparkContext.setLogLevel("ERROR")
    await_executors(session.sparkContext, executors)
    killed = []
    killer = threading.Timer(after, lambda: killed.append(kill_one(session.sparkContext.applicationId)))
    begin = time.monotonic()
    if after > 0:
        killer.start()
    records_of(session, source).orderBy(functions.expr(KEY)).write.option("compression", "none").parquet(result)
    seconds = time.monotonic() - begin
    killer.cancel()
    answer = {"seconds": seconds, "killed": len(killed)}
    if sys.argv[6:] == ["check"]:
        check(session, source, result)
    session.stop()
    print(json.dumps(answer))


def records_of(session, source):
    java = session.sparkContext._jsc.binaryRecords(source, RECORD_BYTES).rdd()
    return DataFrame(session._jsparkSession.createDataset(java, session._jvm.org.apache.spark.sql.Encoders.BINARY()), session)


def await_executors(context, executors):
    """The driver is one of those that are counted."""
    while len(list(context._jsc.sc().statusTracker().getExecutorInfos())) <= executors:
        time.sleep(0.05)


def executors_of(application):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if b"--executor-id" in words and application.encode() in words:
            yield int(pid)


def kill_one(application):
    victim = min(executors_of(application))
    os.kill(victim, signal.SIGKILL)
    return victim


def check(session, source, result):
    """The same records, and in order: in each file, and from one file to the next."""
    seal = [functions.count("*"), functions.sum(functions.crc32("value"))]
    written = session.read.parquet(result)
    if records_of(session, source).agg(*seal).first() != written.agg(*seal).first():
        sys.exit("terasort_spark: these are not the records of the input")
    placed = written.select(functions.expr(KEY).alias("key"), functions.input_file_name().alias("file"), functions.monotonically_increasing_id().alias("at"))
    before = functions.lag("key").over(Window.partitionBy("file").orderBy("at"))
    if placed.withColumn("before", before).where("before > key").count() != 0:
        sys.exit("terasort_spark: a file is not in order")
    ends = placed.groupBy("file").agg(functions.min("key"), functions.max("key")).orderBy("file").collect()
    if any(bytes(one[2]) > bytes(next_one[1]) for one, next_one in zip(ends, ends[1:])):
        sys.exit("terasort_spark: the files are not in order")


if __name__ == "__main__":
    main()
