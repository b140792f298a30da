"""What `scripts/test` compiles and runs, its exit status, and how the scripts of long runs start."""

import pytest

from tests.checkout import FAKE_COMMAND, FAKE_PYTHON, Checkout


def test_two_processes_compile_before_the_tests_and_a_failure_is_reported(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("fourcorners", FAKE_COMMAND + "[[ $1 != warm ]]\n")
    result = fake_checkout.run("scripts/test", "tests/core")
    assert result.returncode == 1
    assert "Compiling failed" in result.stderr
    assert fake_checkout.pop_calls().count("fourcorners warm") == 2


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
    assert places == ["", " tests/test_kernels.py", " tests/browser"]


@pytest.mark.parametrize(("status", "outcome"), [(0, 0), (1, 1), (5, 1)])
def test_exit_status_is_1_if_tests_fail_or_none_is_found(fake_checkout: Checkout, status: int, outcome: int) -> None:
    # pytest ends with 5 if it has found no tests.
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", f'"-m pytest "*) exit {status} ;;\nesac'))
    assert fake_checkout.run("scripts/test", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash")).returncode == outcome


@pytest.mark.parametrize(
    ("script", "module"), [("bench", "benchmarks"), ("load", "benchmarks.load"), ("soak", "tests.faults.soak")]
)
def test_long_runs_start_with_their_arguments(fake_checkout: Checkout, script: str, module: str) -> None:
    result = fake_checkout.run(f"scripts/{script}", "--quick")
    assert result.returncode == 0, result.stderr
    assert fake_checkout.pop_calls()[-1] == f"python -m {module} --quick"
