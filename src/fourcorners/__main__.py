"""`python -m fourcorners` is the command `fourcorners`."""

from fourcorners.cli import main

if __name__ == "__main__":
    main()
