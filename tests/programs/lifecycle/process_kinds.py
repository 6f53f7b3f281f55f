"""Processes of every kind, one kind a run: `process_kinds.py KIND`.

Each process says "PID PARENT kind" on stdout when it has done its work, which is one call
of work(), so that a test can tell which recordings there must be."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time


def leaf():
    pass


def work():
    for _ in range(10):
        leaf()


def tell(kind):
    work()
    os.write(1, f"{os.getpid()} {os.getppid()} {kind}\n".encode())


def wait_for(pid):
    """The status of a child, as a shell would say it."""
    _, status = os.waitpid(pid, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


def fork_and(child):
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            status = child()
        finally:
            os._exit(status)
    return wait_for(pid)


def in_fork():
    tell("fork")
    return 3


def fork():
    assert fork_and(in_fork) == 3


def fork_silent():
    """A child that calls nothing that is recorded."""
    pid = os.fork()
    if pid == 0:
        os._exit(4)
    assert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == 4


def fork_exit():
    """A child that ends as programs do, with exit handlers."""
    pid = os.fork()
    if pid == 0:
        tell("fork")
        sys.exit(6)
    assert wait_for(pid) == 6


def fork_nested():
    def second():
        tell("second")
        return fork_and(in_fork)

    def first():
        tell("first")
        return fork_and(second)

    assert fork_and(first) == 3


def fork_before_events():
    """The middle one of three generations calls nothing before it forks."""
    pid = os.fork()
    if pid == 0:
        pid = os.fork()
        if pid == 0:
            tell("fork")
            os._exit(0)
        os._exit(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
    assert wait_for(pid) == 0


def fork_in_thread():
    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()


def fork_thread_returns():
    """The child's only thread returns from the function it was started with."""

    def run():
        pid = os.fork()
        if pid == 0:
            tell("fork")
            return
        statuses.append(wait_for(pid))

    statuses = []
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if statuses:
        assert statuses == [0]


def fork_beside_threads():
    """Other threads record all the time, forks come in between."""
    is_over = threading.Event()

    def record():
        while not is_over.is_set():
            work()

    threads = [threading.Thread(target=record, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    statuses = [fork_and(in_fork) for _ in range(10)]
    assert statuses == [3] * 10, statuses
    is_over.set()
    for thread in threads:
        thread.join()


def fork_exec():
    pid = os.fork()
    if pid == 0:
        os.execv("/bin/sh", ["sh", "-c", "exit 8"])
    assert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == 8


def fork_exec_python():
    pid = os.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, __file__, "child"])
    assert wait_for(pid) == 7


def exec_python():
    tell("before")
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, __file__, "child"])


def child():
    tell("child")
    sys.exit(7)


def child_process():
    command = [sys.executable, __file__, "child"]
    assert subprocess.run(command).returncode == 7
    assert subprocess.run(command, close_fds=False).returncode == 7
    assert os.spawnv(os.P_WAIT, sys.executable, command) == 7
    assert os.system(" ".join(command)) >> 8 == 7
    with subprocess.Popen(command, preexec_fn=leaf, stdout=subprocess.PIPE) as process:
        os.write(1, process.stdout.read())
    assert process.returncode == 7


def child_isolated():
    """Processes that must not be able to join: no environment, isolated mode, no site."""
    for flags, environment in (([], {}), (["-I"], None), (["-S"], None), (["-E"], None)):
        command = [sys.executable, *flags, __file__, "child"]
        assert subprocess.run(command, env=environment).returncode == 7


def square(number):
    tell("pool")
    time.sleep(0.01)  # so that every worker gets one
    return number * number


def run_process(method):
    context = multiprocessing.get_context(method)
    process = context.Process(target=tell, args=("process",))
    process.start()
    process.join()
    assert process.exitcode == 0


def run_pool(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(square, range(6), chunksize=1) == [0, 1, 4, 9, 16, 25]
        pool.close()
        pool.join()


def process_fork():
    run_process("fork")


def process_forkserver():
    run_process("forkserver")


def process_spawn():
    run_process("spawn")


def pool_fork():
    run_pool("fork")


def pool_forkserver():
    run_pool("forkserver")


def pool_spawn():
    run_pool("spawn")


def executor_processes():
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert list(pool.map(square, range(6))) == [0, 1, 4, 9, 16, 25]


def executor_threads():
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert list(pool.map(square, range(6))) == [0, 1, 4, 9, 16, 25]


def terminated():
    """A process that its parent terminates while it works."""
    process = multiprocessing.get_context("fork").Process(target=work_for_ever)
    process.start()
    while not os.path.exists("working"):
        time.sleep(0.001)
    process.terminate()
    process.join()
    assert process.exitcode == -signal.SIGTERM


def work_for_ever():
    tell("process")
    with open("working", "w"):
        pass
    while True:
        work()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    if sys.argv[1] != "child":
        tell("root")
