# The options in use, each with what it sets.
kymo run --help
