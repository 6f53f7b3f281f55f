import py_filtered_helper as helper


def encode(n):
    return helper.outer(n) + max(n, 1)
