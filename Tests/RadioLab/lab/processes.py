"""Child processes that never outlive this one, however it ends."""

import atexit
import ctypes
import os
import signal
import subprocess
from typing import Any

_PR_SET_PDEATHSIG = 1
_URGENT = -5  # A radio must not wait for a core, but other processes need time, too.
_libc = ctypes.CDLL(None, use_errno=True)
_running: list[subprocess.Popen[bytes]] = []


def be_urgent() -> None:
    """Raises the priority of this process, if permitted (root). If the kernel schedules by session, the priority of the
    session counts."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, _URGENT)
        with open("/proc/self/autogroup", "w") as session:
            session.write(str(_URGENT))
    except OSError:
        pass


def start(arguments: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own. `stop` or the normal end of this process ends it; after a SIGKILL of this
    process the kernel does. Call it from the main thread: the kernel acts on the end of the calling thread."""
    ours = os.getpid()

    def prepare() -> None:
        be_urgent()
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != ours:  # This process ended before the line above.
            os._exit(1)

    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=prepare, **options)
    _running.append(process)
    return process


def stop(process: subprocess.Popen[bytes], timeout: float = 2) -> None:
    """Terminates the process, waits, then kills it with its children."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
    if process in _running:
        _running.remove(process)


@atexit.register
def _stop_all() -> None:
    for process in list(_running):
        stop(process, timeout=0.2)
