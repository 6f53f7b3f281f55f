kymo help diff
