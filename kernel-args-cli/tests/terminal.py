"""Runs a command with standard error, or both streams, on a terminal of some columns: what the terminal got is written."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

streams, columns, *command = sys.argv[1:]
terminal, end = pty.openpty()
fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
stdout = end if streams == "both" else subprocess.DEVNULL
process = subprocess.Popen(command, stdout=stdout, stderr=end)
os.close(end)
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
sys.exit(process.wait())
