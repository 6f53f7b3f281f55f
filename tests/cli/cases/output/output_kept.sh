# What was there stays when the report fails.
echo old > table.txt
kymo report "$RUN" --callers nobody -o table.txt
cat table.txt
ls
