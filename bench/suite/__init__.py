"""The benchmarks behind bench/run."""
