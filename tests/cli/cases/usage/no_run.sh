# status: 2
kymo report
