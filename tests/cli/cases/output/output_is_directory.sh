# status: 1
mkdir there; kymo report "$RUN" -o there
