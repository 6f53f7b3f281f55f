# status: 2
kymo xyzzy
