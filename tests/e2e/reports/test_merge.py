"""kymo merge: what it refuses, leaves out and says, and ranks that share the work."""

import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import tempfile

import pytest
import support
from cases import long_except

GOLDEN = support.REPOSITORY / "tests" / "golden"
CALLS = ("profile", "threads", "native", "trace", "counters", "fork")
ENVIRONMENT = support.clean_environment(tempfile.gettempdir())
PID, START = 40, 88  # in the header of a recording


def kymo(*arguments, status=0, **options):
    """What the command said on standard error."""
    done = subprocess.run(
        [support.KYMO, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=support.TIMEOUT_S,
        env=ENVIRONMENT,
        **options,
    )
    assert done.returncode == status, done.stderr
    return done.stderr


def merged(output):
    return (output / "merged.kymo").read_bytes()


@pytest.fixture
def runs(tmp_path):
    """Directories with one recording each."""
    for name in (*CALLS, "sampled", "damaged"):
        (tmp_path / name).mkdir()
        shutil.copy(GOLDEN / f"v1-{name}.kymo", tmp_path / name / "x.kymo")
    return tmp_path


@pytest.fixture
def calls(runs):
    return [runs / name for name in CALLS]


def report(run):
    out = subprocess.check_output(
        [support.KYMO, "report", "--format", "json", run], env=ENVIRONMENT
    )
    return json.loads(out)


def test_reports_take_it_for_a_run(runs, calls):
    assert "merged 6 processes into" in kymo("merge", "-o", runs / "out", *calls)
    total = report(runs / "out")
    single = [report(path) for path in calls]
    assert total["processes"] == 6
    assert total["calls"] == sum(each["calls"] for each in single)
    assert total["threads"] == sum(each["threads"] for each in single)
    for form in ("collapsed", "speedscope", "callgrind", "pstats"):
        kymo("export", "--format", form, "-o", runs / "exported", runs / "out")
        assert (runs / "exported").stat().st_size > 0


def test_list_of_paths(runs, calls):
    listing = runs / "list"
    listing.write_text("".join(f"{path}\n" for path in calls), encoding="utf-8")
    kymo("merge", "-o", runs / "one", *calls)
    kymo("merge", "-o", runs / "two", f"@{listing}")
    with open(listing, encoding="utf-8") as stdin:
        kymo("merge", "-o", runs / "three", "-", stdin=stdin)
    assert merged(runs / "one") == merged(runs / "two") == merged(runs / "three")


def test_lists_that_name_each_other(runs):
    (runs / "a").write_text(f"@{runs}/b\n", encoding="utf-8")
    (runs / "b").write_text(f"@{runs}/a\n", encoding="utf-8")
    assert "lists name each other" in kymo("merge", "-o", runs / "out", f"@{runs}/a", status=2)
    assert not (runs / "out").exists()


@pytest.mark.parametrize("count", long_except([10_000, 100_000], 10_000))
def test_many_paths(runs, count):
    """The same process each time: taken once, and said shortly."""
    listing = runs / "list"
    listing.write_text(f"{runs}/profile/x.kymo\n" * count, encoding="utf-8")
    said = kymo("merge", "-o", runs / "out", f"@{listing}")
    assert f"and {count - 21} more" in said
    assert "merged 1 process into" in said


def test_a_merged_run_has_what_it_was_made_of(runs, calls):
    """Whoever reads both reads each process once, and is told; so is who merges them."""
    kymo("merge", "-o", runs / "whole", *calls)
    alone = report(runs / "whole")["regions"]
    for number, order in enumerate(([runs / "whole", *calls[:2]], [*calls[:2], runs / "whole"])):
        assert "already; taken once" in kymo("merge", "-o", runs / f"again{number}", *order)
        assert merged(runs / f"again{number}") == merged(runs / "whole")
    shutil.copy(calls[0] / "x.kymo", runs / "whole" / "part.kymo")
    read = report(runs / "whole")
    assert read["regions"] == alone
    assert "already; taken once" in json.dumps(read)


def test_the_page_counts_each_process_once(runs, calls):
    kymo("merge", "-o", runs / "whole", *calls)
    page = runs / "page.html"
    kymo("view", "-o", page, calls[0], runs / "whole")
    assert "already; taken once" in page.read_text(encoding="utf-8")


def test_output_that_is_there(runs, calls):
    (runs / "full").mkdir()
    (runs / "full" / "file").touch()
    assert "is not empty" in kymo("merge", "-o", runs / "full", *calls, status=2)
    assert sorted(path.name for path in (runs / "full").iterdir()) == ["file"]
    kymo("merge", "--force", "-o", runs / "full", *calls)
    before = merged(runs / "full")
    kymo("merge", "--force", "-o", runs / "full", *calls[:2])
    assert merged(runs / "full") != before


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_output_with_recordings_of_its_own(runs, calls, force):
    said = kymo("merge", *force, "-o", calls[0], *calls, status=2)
    assert "recordings of its own" in said
    assert [path.name for path in calls[0].iterdir()] == ["x.kymo"]


def test_output_within_an_input(runs, calls):
    kymo("merge", "-o", calls[0] / "merged", *calls)
    kymo("merge", "-o", runs / "out", *calls)
    assert merged(calls[0] / "merged") == merged(runs / "out")


def test_what_cannot_be_read(runs, calls):
    (runs / "noise.kymo").write_bytes(b"noise" * 1000)
    (runs / "empty.kymo").touch()
    bad = [runs / "noise.kymo", runs / "empty.kymo", runs / "nowhere"]
    said = kymo("merge", "-o", runs / "out", *calls, *bad, status=1)
    assert said.count("\n") == 4
    for path in bad:
        assert str(path) in said
    kymo("merge", "-o", runs / "good", *calls)
    assert merged(runs / "out") == merged(runs / "good")
    said = kymo("merge", "--strict", "-o", runs / "strict", *calls, *bad, status=1)
    assert "nothing was written" in said
    assert not (runs / "strict").exists()
    kymo("merge", "-o", runs / "none", *bad, status=1)
    assert not (runs / "none").exists()


def test_damage_is_said(runs, calls):
    kymo("merge", "-o", runs / "out", *calls, runs / "damaged")
    losses = " ".join(report(runs / "out")["losses"])
    assert "1 of 7 processes" in losses


def samples_of(shown):
    keys = ("name", "file", "line", "samples", "self", "total")
    return [[row[key] for key in keys] for row in shown["regions"]]


def test_samples(runs, calls):
    kymo("merge", "-o", runs / "samples", runs / "sampled")
    shown = report(runs / "samples")
    assert samples_of(shown) == samples_of(report(runs / "sampled"))
    assert "5 samples were lost" in shown["losses"]
    said = kymo("merge", "-o", runs / "out", *calls, runs / "sampled")
    assert "1 process with samples but no calls left out" in said
    assert report(runs / "out")["calls"] == sum(report(path)["calls"] for path in calls)
    # In two steps it comes to the same.
    kymo("merge", "-o", runs / "two", *calls[:2], runs / "samples")
    kymo("merge", "-o", runs / "steps", runs / "two", *calls[2:])
    assert merged(runs / "steps") == merged(runs / "out")


def test_disk_that_is_full(runs, calls):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    said = kymo("merge", "-j", "1", "-o", runs / "out", *calls, status=1, preexec_fn=limit)
    assert "cannot write" in said
    assert not (runs / "out").exists()


def test_jobs_come_to_the_same(runs, calls):
    kymo("merge", "-j", "1", "-o", runs / "one", *calls)
    for jobs in (2, 3, 50):
        kymo("merge", "-j", jobs, "-o", runs / f"jobs{jobs}", *calls)
        assert merged(runs / f"jobs{jobs}") == merged(runs / "one")
        assert [path.name for path in (runs / f"jobs{jobs}").iterdir()] == ["merged.kymo"]


def test_what_jobs_cannot_read(runs, calls):
    cut = runs / "cut.kymo"
    cut.write_bytes((GOLDEN / "v1-profile.kymo").read_bytes()[:3000])
    version = bytearray((GOLDEN / "v1-profile.kymo").read_bytes())
    version[8] = 99
    (runs / "version.kymo").write_bytes(version)
    inputs = [*calls, cut, runs / "version.kymo"]
    said = kymo("merge", "-j", "3", "-o", runs / "out", *inputs, status=1)
    assert "format version 99" in said
    assert "cut off" in said


def test_damaged_merges_are_read_or_refused(runs, calls):
    """No byte of a merged recording can do harm to the next merge."""
    kymo("merge", "-o", runs / "good", *calls)
    good = merged(runs / "good")
    chance = random.Random(1)
    for i in range(40):
        bad = bytearray(good)
        for _ in range(chance.randrange(1, 30)):
            bad[chance.randrange(4096 if i % 4 else 0, len(bad))] = chance.randrange(256)
        (runs / "bad.kymo").write_bytes(bad[: chance.randrange(5000, len(bad))])
        done = subprocess.run(
            [support.KYMO, "merge", "--force", "-o", runs / "out", runs / "bad.kymo"],
            stderr=subprocess.PIPE,
            timeout=support.TIMEOUT_S,
            env=ENVIRONMENT,
        )
        assert done.returncode in (0, 1), done.stderr


def copies(folder, count):
    """As many processes, in a directory."""
    folder.mkdir()
    data = bytearray((GOLDEN / "v1-threads.kymo").read_bytes())
    for i in range(count):
        struct.pack_into("<I", data, PID, 1000 + i)
        struct.pack_into("<Q", data, START, 1_700_000_000_000_000_000 + i)
        (folder / f"p{i}.kymo").write_bytes(data)
    return folder


def test_processes_keep_apart(runs):
    folder = copies(runs / "many", 10)
    kymo("merge", "-o", runs / "out", folder)
    one = report(GOLDEN / "v1-threads.kymo")
    assert report(runs / "out")["calls"] == 10 * one["calls"]
    assert report(runs / "out")["processes"] == 10


needs_mpirun = pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")


def mpirun(count, *arguments):
    environment = dict(ENVIRONMENT, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = ["mpirun", "-n", str(count), "--oversubscribe", str(support.KYMO), "merge"]
    return subprocess.run(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=support.TIMEOUT_S,
        env=environment,
    )


@needs_mpirun
@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_share_the_work(runs, ranks):
    folder = copies(runs / "many", 20)
    kymo("merge", "-o", runs / "one", folder)
    done = mpirun(ranks, "-o", runs / "out", folder)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("merged 20 processes into") == 1
    assert merged(runs / "out") == merged(runs / "one")
    assert [path.name for path in (runs / "out").iterdir()] == ["merged.kymo"]


@needs_mpirun
def test_more_ranks_than_there_is_to_do(runs, calls):
    done = mpirun(4, "-o", runs / "out", calls[0])
    assert done.returncode == 0, done.stdout
    kymo("merge", "-o", runs / "one", calls[0])
    assert merged(runs / "out") == merged(runs / "one")


@needs_mpirun
def test_ranks_refuse_together(runs, calls):
    (runs / "full").mkdir()
    (runs / "full" / "file").touch()
    done = mpirun(3, "-o", runs / "full", *calls)
    assert done.returncode != 0
    assert "is not empty" in done.stdout
    assert [path.name for path in (runs / "full").iterdir()] == ["file"]


def rank(number, count, output, inputs, **options):
    environment = dict(
        ENVIRONMENT,
        OMPI_COMM_WORLD_RANK=str(number),
        OMPI_COMM_WORLD_SIZE=str(count),
        PMIX_NAMESPACE="a job",
    )
    command = [support.KYMO, "merge", "-o", output, *inputs]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, **options)


def test_a_rank_that_failed_is_told(runs):
    """It cannot write its part: the first one says why."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    inputs = [copies(runs / "many", 6)]
    first = rank(0, 2, runs / "out", inputs)
    second = rank(1, 2, runs / "out", inputs, preexec_fn=limit)
    _, said = second.communicate(timeout=support.TIMEOUT_S)
    assert second.returncode == 1, said
    _, said = first.communicate(timeout=support.TIMEOUT_S)
    assert first.returncode == 1
    assert b"process 1 of 2 that share the work: cannot write" in said
    assert not os.path.exists(runs / "out" / "merged.kymo")


def test_a_rank_that_is_killed_is_missed(runs):
    """It never tells; that its lock is gone does."""
    inputs = [copies(runs / "many", 6)]
    second = rank(1, 2, runs / "out", inputs)
    second.communicate(timeout=support.TIMEOUT_S)
    # As if it had been killed before it told.
    (done,) = (runs / "out").glob(".parts-*/part-1.done")
    done.unlink()
    first = rank(0, 2, runs / "out", inputs)
    _, said = first.communicate(timeout=support.TIMEOUT_S)
    assert first.returncode == 1
    assert b"process 1 of those that share the work ended without its part" in said
