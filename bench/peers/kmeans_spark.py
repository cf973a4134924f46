"""k-means of Spark's MLlib in local mode, as bench/kmeans.py starts it: POINTS.npy FROM.npy ITERATIONS THREADS. Prints seconds and inertia."""

import json
import os
import sys
import time

import numpy
from pyspark import SparkConf, SparkContext
from pyspark.mllib.clustering import KMeans, KMeansModel

points, start = numpy.load(sys.argv[1]), numpy.load(sys.argv[2])
iterations, threads = int(sys.argv[3]), int(sys.argv[4])
configuration = SparkConf().setMaster(f"local[{threads}]").set("spark.driver.memory", "8g").set("spark.ui.enabled", "false")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of the workers, which need numpy too
context = SparkContext(conf=configuration)
context.setLogLevel("ERROR")
data = context.parallelize(points, 4 * threads).cache()
data.count()
begin = time.monotonic()
model = KMeans.train(data, len(start), maxIterations=iterations, epsilon=0.0, initialModel=KMeansModel(list(start)))
seconds = time.monotonic() - begin
print(json.dumps({"seconds": seconds, "iterations": iterations, "inertia": model.computeCost(data)}))
