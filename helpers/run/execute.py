"""Running notebooks: one kernel each, saved after every cell, several at a time, shut down on Ctrl-C."""

import asyncio
import os
import shutil
import signal
import sys
import threading
import time

from helpers.notebook.display import KEY

STARTS = 3  # times that a kernel is started before its run counts as failed

PAUSE = 1.0  # seconds before the second start; before the third twice as long

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class CellFailed(RuntimeError):
    """A cell that raised, or whose kernel died; the sentence says where and why."""


class NotStarted(RuntimeError):
    """A kernel that died or kept silent before its first cell, as often as it was started."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or a request to end."""


class Progress:
    """What is done and what runs, on stderr: one line that is rewritten in a terminal, else one every ten seconds."""

    def __init__(self, total=1, finished=0):
        self.rewrite = sys.stderr.isatty()
        self.total, self.ended, self.failed, self.here = total, finished, 0, 0
        self.cells = {}
        self.start = self.told = time.monotonic()

    def cell(self, label, done, total):
        self.cells[label] = f"{label}: cell {done}/{total}"
        if self.rewrite:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r\033[K{self.status()[:width]}")
        elif time.monotonic() - self.told > 10:
            sys.stderr.write(self.status() + "\n")
            self.told = time.monotonic()
        sys.stderr.flush()

    def status(self):
        """One line: how many runs have ended, how long the others may take, the cells that run now."""
        running = ", ".join(self.cells.values())
        if self.total == 1:
            return running
        failed = f", {self.failed:,} of them failed" * bool(self.failed)
        left = (time.monotonic() - self.start) / max(self.here, 1) * (self.total - self.ended)
        about = f"; about {left / 60:,.0f} min left" if left >= 90 else f"; about {left:.0f} s left"
        return f"{self.ended:,} of {self.total:,} runs ended{failed}{about * bool(self.here)}; {running}"

    def end(self, label, text, failed=False):
        """Tell that a run has ended, and how."""
        self.cells.pop(label, None)
        self.ended, self.failed, self.here = self.ended + 1, self.failed + failed, self.here + 1
        self.line(f"[{self.ended}/{self.total}] " * (self.total > 1) + text)

    def line(self, text):
        sys.stderr.write(("\r\033[K" if self.rewrite else "") + text + "\n")
        sys.stderr.flush()


def _place(nb, index):
    """Words for a cell: its number in the notebook and the heading above it."""
    heading = ""
    for cell in nb.cells[:index]:
        if cell.cell_type == "markdown":
            heads = [line.lstrip("# ").strip() for line in cell.source.splitlines() if line.startswith("#")]
            heading = heads[-1] if heads else heading
    count = nb.cells[index].execution_count
    return (
        f"cell {index + 1} of {len(nb.cells)}"
        + f" (In [{count}])" * bool(count)
        + f', section "{heading}"' * bool(heading)
    )


def one_thread():
    """Environment of a kernel that computes with one thread, unless the user says otherwise: runs side by side do not
    get into each other's way, and sums come out the same for any number of jobs."""
    said = any(name in os.environ for name in THREADS)
    return dict(os.environ) | ({} if said else dict.fromkeys(THREADS, "1"))


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
        client = NotebookClient(nb, km=manager, timeout=None)
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


async def run_cells(nb, save, progress, *, tell=lambda text: None, env=None):
    """Run every code cell of `nb` in a fresh kernel; `save(nb)` after each. CellFailed at the first that raises.

    A kernel that dies before its first cell is started again, NotStarted after `STARTS` times.
    """
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    save(nb)
    manager, client = await _start(nb, tell, env)
    try:
        for index, cell in enumerate(nb.cells):
            progress(index, len(nb.cells))
            try:
                await client.async_execute_cell(cell, index)
            except CellExecutionError as error:
                raise CellFailed(f"{_place(nb, index)}: {error.ename}: {error.evalue}") from None
            except DeadKernelError:
                raise CellFailed(f"{_place(nb, index)}: the kernel died, most likely for want of memory.") from None
            if cell.cell_type == "code":
                save(nb)
    finally:
        await _shut_down(manager, client)


async def _all(jobs, most):
    gate = asyncio.Semaphore(most)

    async def one(job):
        async with gate:
            await job()

    tasks = [asyncio.ensure_future(one(job)) for job in jobs]
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

    >>> import nbformat.v4 as v4
    >>> output = v4.new_output("display_data", metadata={"honest": {"metrics": {"gap": 0.1}}})
    >>> collect(v4.new_notebook(cells=[v4.new_code_cell("", outputs=[output])]))
    ({'gap': 0.1}, [])
    """
    metrics, claims = {}, []
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            found = output.get("metadata", {}).get(KEY, {})
            metrics |= found.get("metrics", {})
            claims += [dict(found)] if "claim" in found else []
    return metrics, claims
