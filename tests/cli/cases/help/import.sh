kymo import --help
