kymo report "$RUN" --metric trip_count -o table.txt
head -2 table.txt | tail -1
ls
