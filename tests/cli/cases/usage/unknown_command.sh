# status: 2
kymo repotr
