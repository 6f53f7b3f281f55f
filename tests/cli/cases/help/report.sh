kymo help report
