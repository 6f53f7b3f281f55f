# One topic of the help, with what each option sets.
kymo run --help=backend
kymo help run | head -n 1
kymo-run --version
