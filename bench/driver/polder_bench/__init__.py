"""Measures Polder beside the machine's own limits and the MPI libraries that are installed."""
