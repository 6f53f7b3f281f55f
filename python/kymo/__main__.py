"""`python -m kymo [options] [--] script.py arguments`."""

from kymo._launcher import main

main()
