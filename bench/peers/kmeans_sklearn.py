"""scikit-learn's k-means (Lloyd), as bench/kmeans.py starts it: POINTS.npy FROM.npy ITERATIONS. Prints seconds and inertia."""

import json
import sys
import time
import warnings

import numpy
from sklearn.cluster import KMeans

warnings.filterwarnings("ignore")  # that it has not converged
points, start, iterations = numpy.load(sys.argv[1]), numpy.load(sys.argv[2]), int(sys.argv[3])
begin = time.monotonic()
model = KMeans(len(start), init=start, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd").fit(points)
print(json.dumps({"seconds": time.monotonic() - begin, "iterations": model.n_iter_, "inertia": model.inertia_}))
