kymo help merge
