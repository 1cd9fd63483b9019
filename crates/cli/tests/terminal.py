"""Runs a command with standard error, or both output streams, on a terminal with this many columns. Prints the terminal's input."""

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
