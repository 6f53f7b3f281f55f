# status: 2
kymo
