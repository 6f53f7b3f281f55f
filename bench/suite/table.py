"""Medians and plain tables."""


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def show(title, header, rows):
    """A Markdown table, columns as wide as their widest cell."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    print(f"\n{title}\n")
    for number, row in enumerate(cells):
        line = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        print("| " + " | ".join(line) + " |")
        if number == 0:
            rule = ["-" * width + ("-" if i == 0 else ":") for i, width in enumerate(widths)]
            print("|-" + "|-".join(rule) + "|")
    print(flush=True)


def ratio(part, whole):
    """ "1/5.3" when part is smaller, else "1.20"."""
    if part <= 0 or whole <= 0:
        return "-"
    return f"1/{whole / part:.1f}" if part < whole else f"{part / whole:.2f}"
