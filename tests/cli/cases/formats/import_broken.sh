# status: 1
printf "{(\003\000\000\000" >broken.prof
kymo import --format pstats broken.prof
