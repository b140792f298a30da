"""What `scripts/test` compiles and runs, and its exit status."""

import os

import pytest

from tests.checkout import FAKE_COMMAND, FAKE_PYTHON, Checkout


def test_after_a_change_of_a_source_the_tests_compile_again(fake_checkout: Checkout) -> None:
    browser = str(fake_checkout.bin / "bash")

    def count_compilations() -> int:
        """Run the tests; return how many processes compiled games."""
        fake_checkout.run("scripts/test", "tests/core", FOURCORNERS_BROWSER=browser)
        return fake_checkout.pop_calls().count("fourcorners warm")

    assert [count_compilations(), count_compilations()] == [2, 0]
    source = fake_checkout.folder / "src/game.py"
    # A file counts as changed if it is younger than the stamp of the last compilation.
    later = (fake_checkout.folder / ".venv/fourcorners-warm.stamp").stat().st_mtime + 5
    os.utime(source, (later, later))
    assert count_compilations() == 2


def test_failed_compilation_is_reported_by_the_tests_and_tried_again_next_time(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("fourcorners", FAKE_COMMAND + "[[ $1 != warm ]]\n")
    for _ in range(2):
        result = fake_checkout.run("scripts/test", "tests/core")
        assert result.returncode == 1
        assert "Compiling failed" in result.stderr
        assert "fourcorners warm" in fake_checkout.pop_calls()


def test_marks_and_arguments_are_passed_to_all_phases(fake_checkout: Checkout) -> None:
    result = fake_checkout.run(
        "scripts/test", "-m", "slow", "-k", "a or b", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash")
    )
    assert result.returncode == 0, result.stderr
    runs = [line for line in fake_checkout.pop_calls() if "pytest" in line]
    assert [run.split("-m ", 2)[2].split(" -n ")[0] for run in runs] == [
        "(slow) and (not compiled and not browser)",
        "(slow) and (compiled and not browser)",
        "(slow) and (browser)",
    ]
    assert all(run.endswith("-k a or b") for run in runs)


def test_phases_look_only_where_they_have_tests(fake_checkout: Checkout) -> None:
    path = fake_checkout.folder / "tests/test_kernels.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text("pytest.mark.compiled")
    fake_checkout.run("scripts/test", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash"))
    runs = [line for line in fake_checkout.pop_calls() if "pytest" in line]
    places = [run.partition(" --dist worksteal")[2].removeprefix(" --ignore=tests/browser") for run in runs]
    assert places == ["", " README.md tests/test_kernels.py", " tests/browser"]


@pytest.mark.parametrize(("status", "outcome"), [(0, 0), (1, 1), (5, 1)])
def test_exit_status_is_1_if_tests_fail_or_none_is_found(fake_checkout: Checkout, status: int, outcome: int) -> None:
    # pytest ends with 5 if it has found no tests.
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", f'"-m pytest "*) exit {status} ;;\nesac'))
    assert fake_checkout.run("scripts/test", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash")).returncode == outcome
