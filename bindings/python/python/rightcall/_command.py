"""The `rightcall` command."""

from __future__ import annotations


def main() -> int:
    """Runs the command line."""
    import signal
    import sys

    from ._native import command

    # Restore the default handler: Python would only note the signal and let the native code continue.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["rightcall", *sys.argv[1:]])
