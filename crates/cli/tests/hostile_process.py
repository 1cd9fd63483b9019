"""A traced program that sends what no tracer sends. The first argument names the attack, the second is a folder of the test.

Every attack whose program can go on ends with the launch of a kernel `last`: the trace must contain it.
"""

import os
import resource
import socket
import sys
import threading
import time

FOLDER = os.environ["KERNEL_ARGS_TRACE"]
ATTACK, OWN = sys.argv[1:]
IMAGE = "0123456789abcdef.cubin"
SAXPY = "0 4 00040000,4 4 00000040,8 8 0000000000000000,16 8 0000000000000000"
MOST = 2**64 - 1


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(f"{FOLDER}/socket")
    return connection


def send(connection, *fields):
    connection.sendall("\t".join(map(str, fields)).encode() + b"\n")


def launch(connection, symbol, values=SAXPY, start=1000, duration=1000, stream="0", memory=""):
    shape = ["4 1 1", "256 1 1", "0", "array", "0"]
    send(connection, "launch", 1, start, duration, stream, symbol, *shape, values, memory)


def recorded(connection, size):
    allocations = [f"4096 {size}"]
    machine = ["GPU", "sm_90", "13.0", "1"]
    send(connection, "recorded", "saxpy", "4 1 1", "256 1 1", "0", "", SAXPY, "2 0 0 0", *allocations, *machine)


def path(name):
    return f"{FOLDER}/{name}"


def names(connection):
    os.symlink(f"{OWN}/saxpy.ptx", path("saxpy.ptx"))
    outside = ["..", ".", "", f"{OWN}/saxpy.ptx", "../saxpy.ptx", "socket", "saxpy.ptx", f"{IMAGE}/..", "0" * 5000]
    for name in outside:
        send(connection, "image", name)
    launch(connection, "saxpy")


def link(connection):
    os.symlink(f"{OWN}/saxpy.ptx", path(IMAGE))
    send(connection, "image", IMAGE)
    launch(connection, "saxpy")


def pipe(connection):
    os.mkfifo(path(IMAGE))
    send(connection, "image", IMAGE)


def sparse(connection):
    with open(path(IMAGE), "wb") as file:
        file.truncate(1 << 42)
    send(connection, "image", IMAGE)


def memory_pipe(connection):
    os.mkfifo(path("0.before"))
    recorded(connection, 16)


def memory_link(connection):
    os.symlink(f"{OWN}/saxpy.ptx", path("0.before"))
    recorded(connection, 16)


def memory_sparse(connection):
    with open(path("0.before"), "wb") as file:
        file.truncate(1 << 42)
    recorded(connection, 1 << 42)


def sums(connection):
    for values in [f"{MOST} 4 00000000", f"{MOST} 8 0000000000000000,{MOST} 4 00000000", "?"]:
        launch(connection, "edge", values, MOST, MOST, f"{MOST:x}", f"{2**32 - 1} 1,{MOST} 2 0 {MOST:x}")
        launch(connection, "edge", values, 0, MOST)
        send(connection, "graph", MOST, MOST, MOST, f"{MOST:x}", f"{MOST:x}", "0")
        launch(connection, "saxpy", memory=f"0 0,{MOST} 2 0 0,8 2 0 {MOST:x}")
    recorded(connection, MOST)


def long_line(connection):
    piece = b"x" * (1 << 20)
    try:
        for _ in range(600):
            connection.sendall(piece)
    except OSError:
        pass  # The connection has ended.


def long_fields(connection):
    def one():
        connection = connect()
        for _ in range(3):
            send(connection, "launch" + "\t" * 1000000)
            launch(connection, "many", "0 0 ," * 200000)
            launch(connection, "many", ",".join(["0 1 00"] * 65536))

    send(connection, "x" * 1000000)
    threads = [threading.Thread(target=one) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def symbols(connection):
    for number in range(300):
        launch(connection, f"{number:0400000}", "?")


def connections(_):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    opened = []
    try:
        for _ in range(10000):
            opened.append(connect())
            opened[-1].settimeout(0)
            opened[-1].send(b"x" * 50000)
    except OSError:
        pass  # Too many files, or a connection that has ended.


def outlive(go_on):
    """Goes on in a process that outlives the program, for at most 40 seconds, or until its connection ends."""
    if os.fork() > 0:
        return
    os.setsid()
    for stream in range(3):
        os.dup2(os.open("/dev/null", os.O_RDWR), stream)
    connection = connect()
    send(connection, "process", "survivor")
    end = time.monotonic() + 40
    try:
        while time.monotonic() < end:
            go_on(connection)
    finally:
        os._exit(0)


def silent(_):
    outlive(lambda _: time.sleep(0.1) if os.path.exists(FOLDER) else os._exit(0))


def flood(_):
    outlive(lambda connection: launch(connection, "flood"))


def drip(_):
    def one(connection):
        launch(connection, "drip")
        time.sleep(0.1)

    outlive(one)


def images(_):
    """Each is an image of 1 MB, again and again, with another name each time."""
    with open(path("image"), "w") as file, open(f"{OWN}/saxpy.ptx") as saxpy:
        text = saxpy.read()
        head = text[: text.index(".visible")]
        file.write(head + "\n".join(text[len(head) :].replace("saxpy", f"saxpy{n}") for n in range(300)))
    number = iter(range(10**9))

    def one(connection):
        name = f"{next(number):016x}.cubin"
        os.link(path("image"), path(name))
        send(connection, "image", name)

    outlive(one)


def reconnect(_):
    def one(_):
        connection = connect()
        send(connection, "process", "again")
        launch(connection, "again")

    outlive(one)


main = connect()
send(main, "process", "hostile")
globals()[ATTACK](main)
last = connect()
send(last, "process", "last")
launch(last, "last")
sys.exit(7)
