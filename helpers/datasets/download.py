"""Files fetched once: pinned to a commit, checked by sha256, resumed after a break, kept in one cache folder."""

import csv
import logging
import os
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests
from tqdm import tqdm  # not its widget, which a stored notebook would keep as an empty frame

from helpers.checks import nearest_name

with warnings.catch_warnings():  # in a notebook without widgets its progress bar complains when it is imported
    warnings.simplefilter("ignore")
    import pooch

_HERE = Path(__file__).resolve().parents[1]

#: Folder of the shipped files: `data/` in the repository, `helpers/_data` in an installed wheel.
DATA_FOLDER = _HERE / "_data" if (_HERE / "_data").is_dir() else _HERE.parent / "data"

BASE_URL = "https://raw.githubusercontent.com"

ATTEMPTS = 3  # how often one call takes up a connection that broke

TIMEOUT = 30  # seconds without a byte

CHUNK = 1 << 13  # bytes; a broken connection loses less than this


class DownloadError(OSError):
    """A file is neither in the cache nor to be had; the message says which file and how to put it in place by hand.

    Examples
    --------
    >>> issubclass(DownloadError, OSError)
    True
    """


@dataclass(frozen=True)
class ManifestFile:
    """One row of `data/manifest.csv`: a file in a public repository at one commit."""

    collection: str
    path: str
    bytes: int
    sha256: str
    repository: str
    commit: str
    path_in_repository: str
    licence: str

    @property
    def url(self):
        """Address of the file at its commit."""
        return f"{BASE_URL}/{self.repository.removeprefix('github:')}/{self.commit}/{self.path_in_repository}"

    @property
    def source(self):
        """The repository and its commit, for readers."""
        return f"https://github.com/{self.repository.removeprefix('github:')} at commit {self.commit}"


def read_manifest():
    """The rows of `data/manifest.csv` as a tuple of `ManifestFile`."""
    with open(DATA_FOLDER / "manifest.csv", newline="", encoding="utf-8") as file:
        return tuple(ManifestFile(**{**row, "bytes": int(row["bytes"])}) for row in csv.DictReader(file))


def check_system(name, files):
    """ValueError unless `name` is a key of `files`; it names the nearest, and all."""
    if name not in files:
        raise ValueError(
            f"name must be one of the {len(files)} systems, but it is {name!r}; {nearest_name(name, files, 'system')} "
            f"The systems: {', '.join(files)}."
        )


def cache_folders():
    """Folders searched in order: `HONEST_DATA` when it is set, then the user's cache of this package."""
    folders = [Path(pooch.os_cache("honest-confidence"))]
    if os.environ.get("HONEST_DATA"):
        folders.insert(0, Path(os.environ["HONEST_DATA"]).expanduser())
    return folders


def _matches(path, sha256):
    """Whether the file is there with this hash."""
    return path.is_file() and pooch.file_hash(str(path), alg="sha256") == sha256


def _writable(folder):
    """Whether files may be put there: permission bits count even for a user who could override them."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and bool(folder.stat().st_mode & 0o222) and os.access(folder, os.W_OK)


def find_cached(entry):
    """Path of the file in a cache folder, with the right hash, or None. Nothing is written or downloaded."""
    places = (folder / entry.collection / entry.path for folder in cache_folders())
    return next((place for place in places if _matches(place, entry.sha256)), None)


class ResumingDownloader:
    """A pooch downloader that goes on where an earlier attempt stopped, which pooch's own HTTPDownloader cannot."""

    # Bytes are collected in `<final name>.part`, which survives a broken connection or an interrupted session. The next
    # attempt asks for the rest with an HTTP Range header and starts again if the server does not grant it.

    def __init__(self, part, size, progressbar):
        self.part = Path(part)
        self.size = size
        self.progressbar = progressbar

    def __call__(self, url, output_file, pooch):
        for attempt in range(ATTEMPTS):
            before = self._collected()
            try:
                self._continue(url)
            except requests.HTTPError:
                raise
            except requests.RequestException:
                # Another go only where this one brought something: a dead network must not be asked for long.
                if attempt == ATTEMPTS - 1 or self._collected() <= before:
                    raise
                continue
            if self._collected() >= self.size:
                break
        if self._collected() < self.size:
            raise requests.ConnectionError(f"the connection closed after {self._collected():,} of {self.size:,} bytes")
        os.replace(self.part, output_file)

    def _collected(self):
        """Bytes that earlier attempts have brought."""
        return self.part.stat().st_size if self.part.exists() else 0

    def _continue(self, url):
        """One connection: ask for what is lacking and append it to the part."""
        start = self._collected()
        if start >= self.size:
            self.part.unlink()
            start = 0
        headers = {"Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if response.status_code == 416:  # the server's file is shorter than what was collected
                self.part.unlink()
            response.raise_for_status()
            granted = response.status_code == 206
            if granted and not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
                self.part.unlink()
                raise requests.ConnectionError("the server answered with another part of the file than asked for")
            self._append(response, start if granted else 0)

    def _append(self, response, start):
        """Write the answer behind the first `start` bytes of the part."""
        options = {"total": self.size, "initial": start, "unit": "B", "unit_scale": True}
        with (
            open(self.part, "ab" if start else "wb") as file,
            tqdm(desc=self.part.stem, disable=not self.progressbar, **options) as bar,
        ):
            for block in response.iter_content(CHUNK):
                file.write(block)
                bar.update(len(block))
                if file.tell() > self.size:
                    break  # not the file of the manifest: the hash will say so


@contextmanager
def _quiet_pooch():
    """Only errors of pooch are logged: what is downloaded and why is said by this module."""
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def fetch_file(entry, *, progressbar=None):
    """Path of a file of the manifest, downloaded if no cache folder has it yet; DownloadError if it cannot be had."""
    cached = find_cached(entry)
    if cached is not None:
        # never touched if it is there with the right hash, so the folder in `HONEST_DATA` may be read-only
        return cached
    folder = next((folder for folder in cache_folders() if _writable(folder)), None)
    if folder is None:
        raise DownloadError(_help(entry, cache_folders()[-1], "no cache folder can be written to"))
    target = folder / entry.collection / entry.path
    existed = target.exists()
    if progressbar is None:
        progressbar = sys.stderr.isatty()
    downloader = ResumingDownloader(f"{target}.part", entry.bytes, progressbar)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _quiet_pooch():
            pooch.retrieve(entry.url, f"sha256:{entry.sha256}", target.name, target.parent, downloader=downloader)
    except requests.HTTPError as error:
        raise DownloadError(_help(entry, folder, f"the server answered {error.response.status_code}")) from None
    except requests.RequestException as error:
        reason = f"no connection ({_short(error)})"
        if existed:
            reason += ", and the file that lies there has another sha256"
        raise DownloadError(_help(entry, folder, reason)) from None
    except ValueError:  # pooch: the hash differs
        if existed:
            target.unlink(missing_ok=True)
        raise DownloadError(_help(entry, folder, "what arrived has another sha256 and was removed")) from None
    except OSError as error:
        reason = f"the file could not be written ({error.strerror or error})"
        raise DownloadError(_help(entry, folder, reason)) from None
    return target


def _short(error):
    """Our own sentence about a connection that closed early, else the kind of error."""
    return str(error) if "closed after" in str(error) else type(error).__name__


def _help(entry, folder, reason):
    """What is missing, why, where it comes from, and how to put it in place by hand."""
    return (
        f"{entry.collection}/{entry.path} ({entry.bytes:,} bytes) is not in the cache and could not be downloaded: "
        f"{reason}. "
        f"Source: {entry.url} (licence: {entry.licence}). To put it in place by hand, save that file as "
        f"{folder / entry.collection / entry.path} (sha256 {entry.sha256}), or set HONEST_DATA to a folder that holds "
        f"{entry.collection}/{entry.path}."
    )
