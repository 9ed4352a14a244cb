"""Running notebooks: one kernel each, saved after every cell, several at a time, shut down on Ctrl-C."""

import asyncio
import signal
import sys
import threading
import time

from helpers._display import KEY


class CellFailed(RuntimeError):
    """A cell that raised, or whose kernel died; the sentence says where and why."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or a request to end."""


class Progress:
    """Cells done, on stderr: one line that is rewritten in a terminal, else a line at most every ten seconds."""

    def __init__(self, rewrite):
        self.rewrite = rewrite and sys.stderr.isatty()
        self.told = time.monotonic()

    def cell(self, label, done, total):
        line = f"{label}: cell {done}/{total}"
        if self.rewrite:
            sys.stderr.write(f"\r\033[K{line}")
        elif time.monotonic() - self.told > 10:
            sys.stderr.write(line + "\n")
            self.told = time.monotonic()
        sys.stderr.flush()

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


async def run_cells(nb, save, progress):
    """Run every code cell of `nb` in a fresh kernel; `save(nb)` after each. CellFailed at the first that raises."""
    import zmq
    from jupyter_client import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    save(nb)
    manager = AsyncKernelManager(kernel_name=nb.metadata.get("kernelspec", {}).get("name", "python3"))
    if manager.has_trait("transport_encryption") and zmq.has("curve"):
        manager.transport_encryption = "auto"  # otherwise newer kernels warn that others on this machine could listen
    client = NotebookClient(nb, km=manager, timeout=None)
    try:
        await manager.start_kernel(extra_arguments=["--HistoryManager.hist_file=:memory:"])
        await client.async_start_new_kernel_client()
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
        if client.kc is not None:
            client.kc.stop_channels()
        if manager.has_kernel:
            await manager.shutdown_kernel(now=True)


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
