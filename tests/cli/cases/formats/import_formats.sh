kymo import --list-formats
