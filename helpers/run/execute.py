"""Running notebooks: one kernel each, saved after every cell, several at a time, shut down on Ctrl-C.

nbclient executes the cells. What it does not do stands here: a kernel that dies while it starts is started again,
several notebooks run at a time, and Ctrl-C ends all of them with what is finished in place.
"""

import asyncio
import os
import signal
import sys
import threading
import time

from helpers._bar import progress_bar
from helpers.notebook.claims import recorded_claims
from helpers.notebook.display import KEY

STARTS = 3  # times that a kernel is started before its run counts as failed

PAUSE = 1.0  # seconds before the second start; before the third twice as long

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

LOOK = 1.0  # seconds between two looks for replies that woke nobody

# Largest memory of the kernel: KiB on Linux, bytes on macOS. What getrusage says on Linux begins with the memory of the
# process that started the kernel.
PEAK = (
    "int(__import__('pathlib').Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    if sys.platform == "linux"
    else "__import__('resource').getrusage(0).ru_maxrss"
)


class CellFailed(RuntimeError):
    """A cell that raised, or whose kernel died; the sentence says where and why."""


class NotStarted(RuntimeError):
    """A kernel that died or kept silent before its first cell, as often as it was started."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or a request to end."""


class Progress:
    """What is done and what runs, on stderr: a bar in a terminal, elsewhere a line at most every ten seconds.

    Parameters
    ----------
    total : int, default 1
        Number of runs.
    finished : int, default 0
        Runs that were finished before.
    """

    def __init__(self, total=1, finished=0):
        self.bar = progress_bar("runs", total, initial=finished)
        self.ended = finished
        self.cells = {}
        self.told = time.monotonic()

    def cell(self, label, done, total):
        """Tell how many of its cells a run has done."""
        self.cells[label] = f"{label}: cell {done}/{total}"
        self._show_cells()
        if time.monotonic() - self.told >= self.bar.mininterval:
            self.bar.refresh()
            self.told = time.monotonic()

    def end(self, label, text):
        """Tell that a run has ended, and how."""
        self.cells.pop(label, None)
        self._show_cells()
        self.ended += 1
        self.bar.update(1)
        self.line(f"[{self.ended}/{self.bar.total}] {text}" if self.bar.total > 1 else text)

    def _show_cells(self):
        self.bar.set_postfix_str(", ".join(self.cells.values()), refresh=False)

    def line(self, text):
        """Write a line, in a terminal above the bar."""
        if sys.stderr.isatty():
            self.bar.write(text, file=sys.stderr)
        else:
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def close(self):
        """Take leave of the bar."""
        self.bar.close()


def _place(nb, index):
    """Words for a cell: its number in the notebook and the heading above it."""
    heading = ""
    for cell in nb.cells[:index]:
        if cell.cell_type == "markdown":
            heads = [line.lstrip("# ").strip() for line in cell.source.splitlines() if line.startswith("#")]
            heading = heads[-1] if heads else heading
    count = nb.cells[index].execution_count
    number = f" (In [{count}])" if count else ""
    section = f', section "{heading}"' if heading else ""
    return f"cell {index + 1} of {len(nb.cells)}{number}{section}"


def thread_limit(threads=1):
    """Environment of a kernel that computes with so many threads, unless the user's environment says otherwise.

    Runs side by side then do not get into each other's way, and with one thread sums come out the same for any number
    of jobs.
    """
    if any(name in os.environ for name in THREADS):
        return dict(os.environ)
    return dict(os.environ) | dict.fromkeys(THREADS, str(threads))


async def _shut_down(manager, client):
    """End a kernel and wait for it; a Ctrl-C that comes meanwhile counts afterwards."""
    if client.kc is not None:
        client.kc.stop_channels()
    if manager.has_kernel:
        ending = asyncio.ensure_future(manager.shutdown_kernel(now=True))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            await ending
            raise


async def _start(nb, tell, env):
    """Manager and client of a kernel that answers; started again if it dies or keeps silent, NotStarted if for good."""
    import zmq
    from jupyter_client import AsyncKernelManager
    from nbclient import NotebookClient

    for count in range(1, STARTS + 1):
        manager = AsyncKernelManager(kernel_name=nb.metadata.get("kernelspec", {}).get("name", "python3"))
        if manager.has_trait("transport_encryption") and zmq.has("curve"):
            # otherwise newer kernels warn that others on this machine could listen
            manager.transport_encryption = "auto"
        client = NotebookClient(nb, km=manager, timeout=None, record_timing=False)
        try:
            await manager.start_kernel(
                extra_arguments=["--HistoryManager.hist_file=:memory:"], env=env or dict(os.environ)
            )
            await client.async_start_new_kernel_client()
            return manager, client
        except (RuntimeError, OSError, zmq.ZMQError) as error:
            await _shut_down(manager, client)
            if count == STARTS:
                raise NotStarted(
                    f"before its first cell: its kernel was started {STARTS} times and never answered ({error})."
                ) from None
            tell(f"the kernel did not start ({error}); starting it again ({count + 1} of {STARTS})")
        except BaseException:
            await _shut_down(manager, client)
            raise
        await asyncio.sleep(PAUSE * 2 ** (count - 1))


async def _keep_looking(channel):
    """Look for replies once a second: one that comes while nbclient sends a widget's message would wake nobody.

    Where it stands in the queue and nobody knows, nbclient waits for ever (its issue 312).
    """
    while True:
        await asyncio.sleep(LOOK)
        await channel.socket.poll(1)  # whoever waits for longer is served first


async def _peak_memory(client):
    """Largest memory that the kernel of a Python notebook has had, in MB; None where it does not say."""
    message = client.kc.execute("", silent=True, user_expressions={"peak": PEAK})
    reply = await client.async_wait_for_reply(message)
    try:
        peak = int(reply["content"]["user_expressions"]["peak"]["data"]["text/plain"])
    except (KeyError, TypeError, ValueError):
        return None
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10))


async def run_cells(nb, save, progress, *, tell=lambda text: None, env=None):
    """Run every code cell of a notebook in a fresh kernel.

    Parameters
    ----------
    nb : NotebookNode
        The notebook; its outputs are replaced.
    save : callable
        Called with `nb` before the first and after each code cell.
    progress : callable
        Called with the number of cells done and of all cells, before each cell.
    tell : callable, optional
        Called with a sentence when a kernel is started again.
    env : dict, optional
        Environment of the kernel; this process's by default.

    Returns
    -------
    int or None
        The largest memory that the kernel has had, in MB.

    Raises
    ------
    CellFailed
        At the first cell that raises or whose kernel dies.
    NotStarted
        If the kernel dies before its first cell, as often as it is started.
    """
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    save(nb)
    manager, client = await _start(nb, tell, env)
    looking = asyncio.ensure_future(_keep_looking(client.kc.shell_channel))
    try:
        for index, cell in enumerate(nb.cells):
            progress(index, len(nb.cells))
            try:
                await client.async_execute_cell(cell, index)
            except CellExecutionError as error:
                raise CellFailed(f"{_place(nb, index)}: {error.ename}: {error.evalue}") from None
            except DeadKernelError:
                if asyncio.current_task().cancelling():  # nbclient takes a stop for the kernel's death
                    raise asyncio.CancelledError from None
                raise CellFailed(f"{_place(nb, index)}: the kernel died, most likely for want of memory.") from None
            if cell.cell_type == "code":
                save(nb)
        return await _peak_memory(client)
    finally:
        looking.cancel()
        looking.add_done_callback(lambda done: done.cancelled() or done.exception())  # of a socket that was closed
        await _shut_down(manager, client)


async def _all(jobs, most):
    gate = asyncio.Semaphore(most)

    async def guarded(job):
        async with gate:
            await job()

    tasks = [asyncio.ensure_future(guarded(job)) for job in jobs]
    caught = []

    def stop(number):
        if not caught:  # a second Ctrl-C must not disturb the kernels' shutdown
            caught.append(number)
            for task in tasks:
                task.cancel()

    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    for number in signals:
        loop.add_signal_handler(number, stop, number)
    try:
        results = await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
    if caught:
        raise Interrupted
    for result in results:
        if isinstance(result, BaseException):
            raise result


def run_jobs(jobs, most=1):
    """Run coroutine functions, `most` at a time; if the user stops them, Interrupted once all kernels are down."""
    asyncio.run(_all(jobs, most))


def collect(nb):
    """Numbers and claims that the cells of an executed notebook recorded in the metadata of their outputs.

    Parameters
    ----------
    nb : NotebookNode
        An executed notebook.

    Returns
    -------
    metrics : dict
        Name to number, as `helpers.notebook.record` kept them.
    claims : list of dict
        The claims in the order of the cells, each with `claim`, `holds` and its numbers.

    Examples
    --------
    >>> import nbformat.v4 as v4
    >>> output = v4.new_output("display_data", metadata={"honest": {"metrics": {"gap": 0.1}}})
    >>> collect(v4.new_notebook(cells=[v4.new_code_cell("", outputs=[output])]))
    ({'gap': 0.1}, [])
    """
    metrics = {}
    claims = []
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            entry = output.get("metadata", {}).get(KEY, {})
            metrics |= entry.get("metrics", {})
            claims += [dict(claim) for claim in recorded_claims(entry)]
    return metrics, claims
