"""Asks a `ready_program` for a process, and stands in for it: `python -IS ready_client.py SOCKET SCRIPT ARGUMENTS...`.

It passes signals on, and ends as the process ends. It imports little, since it is started in place of a program whose
start takes long.
"""

import json
import os
import signal
import socket
import struct
import sys

NUMBER = struct.Struct("=i")
LENGTH = struct.Struct("=I")
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    order = {
        "command": sys.argv[2:],
        "environment": {**os.environ},
        "is_deaf": signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
    }
    text = json.dumps(order).encode()
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(sys.argv[1])
        socket.send_fds(server, [LENGTH.pack(len(text))], [0, 1, 2, os.open(".", os.O_RDONLY)])
        server.sendall(text)
        [process] = NUMBER.unpack(server.recv(NUMBER.size, socket.MSG_WAITALL))
        for number in PASSED_ON:
            signal.signal(number, lambda number, _: os.kill(process, number))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
        [status] = NUMBER.unpack(server.recv(NUMBER.size, socket.MSG_WAITALL))
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
