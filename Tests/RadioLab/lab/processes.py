"""Child processes that never outlive us, however we end."""

import atexit
import ctypes
import os
import signal
import subprocess
from typing import Any

_PR_SET_PDEATHSIG = 1
_URGENT = -5  # A radio that waits for a core is none; others have to live, too.
_libc = ctypes.CDLL(None, use_errno=True)
_running: list[subprocess.Popen[bytes]] = []


def be_urgent() -> None:
    """As far as we may: root may. Where the kernel shares the cores out by session, it is the session's priority that
    counts."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, _URGENT)
        with open("/proc/self/autogroup", "w") as session:
            session.write(str(_URGENT))
    except OSError:
        pass


def start(arguments: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own. The kernel kills it when we die (also of SIGKILL), `stop` or our
    own end does so before. To be called from the main thread: it is *its* end that the kernel means by ours."""
    ours = os.getpid()

    def prepare() -> None:
        be_urgent()
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != ours:  # We died before the line above.
            os._exit(1)

    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=prepare, **options)
    _running.append(process)
    return process


def stop(process: subprocess.Popen[bytes], patience: float = 2) -> None:
    """Asks, waits, then kills the process with all that it has started."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
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
        stop(process, patience=0.2)
