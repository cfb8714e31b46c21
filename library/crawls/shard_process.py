"""The process of a shard: `python -m <this module> DESCRIPTOR`, with the file descriptor of a socket for calls.

If its parent process is gone, the shard cancels the visits in flight, whose pages stay queued in its store, and ends.
It ends even if it cannot close its store in the time that `peer_watch` allows.
"""

from __future__ import annotations

import signal
import socket
import sys

from hinterland.crawler.cluster.peer_watch import end_with_peer


def main() -> None:
    """Run a shard on the socket whose descriptor is the command-line argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process says when to stop
    connection = socket.socket(fileno=int(sys.argv[1]))
    end_with_peer(connection)
    # Importing takes a second or more, and the parent may go away meanwhile.
    from hinterland.library.crawls.shard_calls import answer_calls

    answer_calls(connection)


if __name__ == "__main__":
    main()
