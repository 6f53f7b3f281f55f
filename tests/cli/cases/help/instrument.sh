# Its own options; those of all commands that run a program are topics.
kymo instrument --help
kymo instrument --help=functions | head -n 5
