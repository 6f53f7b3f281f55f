# status: 3
ln -s "$RUN" a; ln -s "$RUN2" b
kymo diff a a --fail-if "total:run>=0%" --fail-if "calls:run>0" | tail -n 2
kymo diff a a --fail-if "total:run>=0%" >/dev/null
