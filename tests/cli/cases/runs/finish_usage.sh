# status: 2
kymo finish
