kymo help
