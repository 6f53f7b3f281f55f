"""A million call paths, each taken once: 400 functions that call one another to a depth of 7."""

FUNCTIONS = 400
DEPTH = 6
SOURCE = """
def function_{number}(depth):
    total = {number}
    if depth:
        for callee in CALLEES[{number}][: 11 - depth % 3]:
            total += callee(depth - 1)
    else:
        for step in range({steps}):
            total += step
    return total
"""


def main():
    names = {"CALLEES": []}
    for number in range(FUNCTIONS):
        text = SOURCE.format(number=number, steps=number % 17)
        exec(compile(text, f"module_{number % 12}.py", "exec"), names)
    for number in range(FUNCTIONS):
        callees = [(number * 7 + k * 31 + 1) % FUNCTIONS for k in range(11)]
        names["CALLEES"].append([names[f"function_{callee}"] for callee in callees])
    names["function_0"](DEPTH)


main()
