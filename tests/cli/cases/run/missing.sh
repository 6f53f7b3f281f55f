# status: 1
kymo report nowhere
