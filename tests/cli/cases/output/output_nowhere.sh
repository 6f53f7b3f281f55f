# status: 1
kymo report "$RUN" -o nowhere/table.txt
