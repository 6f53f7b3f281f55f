# kymo sample -p is kymo attach.
# status: 2
kymo sample -p
kymo sample --pid=0
kymo sample -p99999999 --duration 1
kymo sample -p 1 --frequency 3
