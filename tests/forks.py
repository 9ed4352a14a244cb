"""Kernels and nbval as forks of a process that has imported what notebooks import: two to four seconds less a run.

The process that forks is the fork server of `multiprocessing`: it has one thread of Python and has computed nothing. A
kernel that is forked from it is a kernel like any other, in a session of its own; it only finds its imports done.
"""

import gc
import multiprocessing
import os
import sys
from threading import Thread

from jupyter_client.channels import ZMQSocketChannel
from jupyter_client.provisioning import local_provisioner

FORKS = sys.platform == "linux"  # the linear algebra of macOS does not survive a fork: there all is started anew

START = local_provisioner.launch_kernel
GET = ZMQSocketChannel.get_msg
SERVER = multiprocessing.get_context("forkserver" if FORKS else "spawn")
LIBRARIES = "quick_imports pytest nbval.plugin ipykernel.kernelapp matplotlib.backends.backend_agg"
LIBRARIES += " pyarrow.pandas_compat sklearn.datasets sklearn.ensemble sklearn.naive_bayes"
ROOMS = "audit chunks datasets decisions experiments grouping llm notebook repair routing selective simulation"
IMPORTED = LIBRARIES.split() + [f"helpers.{room}" for room in ROOMS.split()]
# where the server finds quick_imports: Python 3.11 does not tell it our sys.path
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.path.dirname(__file__), os.environ.get("PYTHONPATH")]))
multiprocessing.get_context("forkserver").set_forkserver_preload(IMPORTED)  # there is one list; nobody else may set it


def begin_fork():
    """Let this process end with the one that asked for it, also if that is killed: the server of forks would stay.

    What it got from that server, modules for the most part, is no garbage and is not searched for any.
    """
    gc.freeze()

    def watch():
        multiprocessing.parent_process().join()
        os._exit(1)

    Thread(target=watch, daemon=True, name="end with tests").start()


def be_kernel(orders, givers):
    """What the process of a kernel does from its start to its end: it waits for its orders, which may never come."""
    begin_fork()
    givers.close()
    try:
        arguments, cwd, env = orders.recv()
    except EOFError:
        return
    os.setsid()
    os.chdir(cwd or ".")
    os.environ.clear()
    os.environ.update(env)
    orders.send(os.getpid())
    sys.argv = ["ipykernel_launcher", *arguments]
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance()


class ForkedKernel:
    """As much of `subprocess.Popen` as jupyter_client needs of a kernel's process, which is there already."""

    stdin = stdout = stderr = None

    def __init__(self, context):
        self.orders, theirs = context.Pipe()
        self.process = context.Process(target=be_kernel, args=(theirs, self.orders))
        self.process.start()
        theirs.close()

    def launch(self, command, *, cwd=None, env=None, **others):
        """Become the kernel of this command; the kernel itself."""
        self.orders.send((command[command.index("-f") :], cwd, env or dict(os.environ)))
        self.pid = self.orders.recv()  # it has a session of its own now
        self.orders.close()
        return self

    def poll(self):
        return self.process.exitcode

    def wait(self):
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        self.process.kill()

    def terminate(self):
        self.process.terminate()


def launcher(context):
    """In place of jupyter_client's function that starts the process of a kernel: the first is there already."""
    waiting = [ForkedKernel(context)] if FORKS else []

    def launch_kernel(command, **options):
        return waiting.pop().launch(command, **options) if waiting else START(command, **options)

    return launch_kernel


def fork_kernel(command, **options):
    """In place of that function, for any number of kernels; those of other languages are started."""
    if FORKS and "ipykernel_launcher" in command:
        return ForkedKernel(SERVER).launch(command, **options)
    return START(command, **options)


def get_soon(channel, timeout=None):
    """In place of `get_msg`: jupyter_client listens for 0.2 seconds to a new kernel, and nbval asks it once more."""
    return GET(channel, timeout=0.02 if timeout == 0.2 else timeout)


def be_pytest(arguments, folder, report, env):
    """Run pytest in `folder`, all it says into the file `report`."""
    local_provisioner.launch_kernel = launcher(multiprocessing.get_context("fork"))  # as long as there is one thread
    ZMQSocketChannel.get_msg = get_soon
    begin_fork()
    os.chdir(folder)
    os.environ.update(env | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    with open(report, "wb") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    sys.stdout = open(1, "w", buffering=1, closefd=False)
    sys.stderr = sys.stdout
    import pytest

    status = pytest.main(["-p", "nbval.plugin", *map(str, arguments)])
    sys.stdout.flush()
    os._exit(int(status))  # without waiting for a kernel that got no orders


def run_pytest(arguments, folder, report, env, seconds):
    """(exit status, everything it said) of pytest in a process of its own that ends after so many seconds."""
    process = SERVER.Process(target=be_pytest, args=(arguments, folder, report, env))
    process.start()
    process.join(seconds)
    if process.exitcode is None:
        process.kill()
        process.join()
        return -1, f"stopped after {seconds} s\n{report.read_text(encoding='utf-8')}"
    return process.exitcode, report.read_text(encoding="utf-8")


def run_fork(target, *arguments, seconds=1e6):
    """What a process sends that runs target(orders, *arguments); None if it dies or takes more than some seconds."""
    mine, theirs = SERVER.Pipe(duplex=False)
    process = SERVER.Process(target=target, args=(theirs, *arguments))
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()
