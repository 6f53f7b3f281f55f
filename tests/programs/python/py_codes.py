"""Code that comes and goes: exec, eval, reload, hundreds of code objects."""

import gc
import importlib
import os
import sys
import tempfile


# What these import when first called is not the cases'.
importlib.invalidate_caches()
with tempfile.TemporaryDirectory():
    pass


def leaf(n=0):
    return n + 1


SOURCE = """
def made(n):
    return helper(n) + leaf(n)

def helper(n):
    return n
"""


def case_exec():
    for i in range(5):
        namespace = {"leaf": leaf}
        exec(compile(SOURCE, f"made{i}.py", "exec"), namespace)
        for n in range(i + 1):
            namespace["made"](n)
    exec("def inner():\n    return leaf()\ninner()", {"leaf": leaf})
    eval("leaf(1) + leaf(2)", {"leaf": leaf})
    eval(compile("leaf(3)", "evaluated.py", "eval"), {"leaf": leaf})
    try:
        exec("leaf()\nraise ValueError", {"leaf": leaf})
    except ValueError:
        leaf()


def case_reused_addresses():
    """Hundreds of code objects, each freed before the next is made; names differ."""
    for i in range(400):
        namespace = {}
        exec(f"def made_{i % 7}():\n    return {i}", namespace)
        namespace[f"made_{i % 7}"]()
        del namespace
        if i % 100 == 0:
            gc.collect()


def kept():
    return [compile(f"def kept_{i}(): pass", "kept.py", "exec") for i in range(200)]


def case_many_alive():
    for code in kept():
        namespace = {}
        exec(code, namespace)
        for name, value in namespace.items():
            if name.startswith("kept_"):
                value()


def case_replaced_code():
    def first():
        return leaf(1)

    def second():
        return leaf(2)

    first()
    first.__code__ = second.__code__
    first()
    first.__code__ = first.__code__.replace(co_name="renamed")
    first()


def case_reload():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reloaded.py")
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        try:
            for version in range(3):
                with open(path, "w") as file:
                    file.write("\n" * version + f"def answer():\n    return {version}\n")
                importlib.invalidate_caches()
                if version == 0:
                    import reloaded
                else:
                    reloaded = importlib.reload(reloaded)
                assert reloaded.answer() == version
        finally:
            sys.path.remove(folder)
            del sys.modules["reloaded"]


CASES = [value for name, value in list(globals().items()) if name.startswith("case_")]


def main():
    gc.disable()
    for case in CASES:
        case()


if __name__ == "__main__":
    main()
