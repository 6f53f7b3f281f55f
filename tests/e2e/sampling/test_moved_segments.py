"""Files that were changed behind the linker's back, as BOLT and patchelf do: a second segment of
code, and the table of segments in a segment of its own, far from the file's beginning."""

import struct
import subprocess

import pytest
import support

LIBRARY = """
volatile double sink;
static double add(int n, int by)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += i % by;
    sink = s;
    return s;
}
#define FAR __attribute__((noinline, section(".far")))
__attribute__((noinline)) double work_near(int n) { return add(n, 7) + 1; }
FAR double work_far(int n) { return add(n, 5) + 1; }
FAR double middle_far(int n) { return work_far(n) + 1; }
double middle_near(int n) { return middle_far(n) + work_near(n); }
"""
PROGRAM = """
double middle_near(int);
int main(void)
{
    double s = 0;
    for (int i = 0; i < 400; i++)
        s += middle_near(400000);
    return s < 0;
}
"""
PAGE = 4096
HEADER = "<IIQQQQQQ"  # of a segment: type, flags, offset, address, physical, sizes, alignment
LOAD, STACK = 1, 0x6474E551


def move_table(path, is_at_its_offset):
    """Into a segment behind all others, in the place of the one that describes the stack.  Its
    address is its offset in the file, as BOLT has it, or is not."""
    data = bytearray(path.read_bytes())
    (offset,) = struct.unpack_from("<Q", data, 32)
    count = struct.unpack_from("<H", data, 56)[0]
    headers = [
        list(struct.unpack_from(HEADER, data, offset + 56 * number)) for number in range(count)
    ]
    end = max(each[3] + each[6] for each in headers if each[0] == LOAD)
    place = -(-max(len(data), end) // PAGE) * PAGE
    address = place if is_at_its_offset else place + 16 * PAGE
    stack = next(each for each in headers if each[0] == STACK)
    headers.remove(stack)
    last = max(number for number, each in enumerate(headers) if each[0] == LOAD)
    size = 56 * count
    headers.insert(last + 1, [LOAD, 4, place, address, address, size, size, PAGE])
    data += bytes(place - len(data))
    for each in headers:
        data += struct.pack(HEADER, *each)
    struct.pack_into("<Q", data, 32, place)
    path.write_bytes(data)


@pytest.mark.parametrize("table", ["in place", "at its offset", "elsewhere"])
def test_both_segments_have_names_and_callers(table, tmp_path):
    (tmp_path / "far.c").write_text(LIBRARY)
    (tmp_path / "main.c").write_text(PROGRAM)
    library, program = tmp_path / "libfar.so", tmp_path / "main"
    flags = ["-shared", "-fPIC", "-Wl,--section-start=.far=0x100000", "-o", library]
    subprocess.run(["gcc", "-O1", "far.c", *flags], cwd=tmp_path, check=True)
    linked = ["main.c", "-o", program, "-L.", "-lfar", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(["gcc", "-O1", *linked], cwd=tmp_path, check=True)
    if table != "in place":
        move_table(library, table == "at its offset")
    environment = {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
    finished = support.run_kymo(["sample", "--", program], cwd=tmp_path, env=environment)
    assert finished.returncode == 0, finished.stderr
    tree = support.run_kymo(["report", tmp_path / "out", "--tree", "--top", "0"], cwd=tmp_path)
    depth = {}
    for line in tree.stdout.splitlines():
        for name in ("main", "middle_near", "middle_far", "work_far", "work_near"):
            if f" {name}  " in line:
                depth[name] = line.index(f" {name}  ")
    assert depth["main"] < depth["middle_near"] < depth["middle_far"] < depth["work_far"]
    assert depth["work_near"] == depth["middle_far"]
    assert "[unknown]" not in tree.stdout
