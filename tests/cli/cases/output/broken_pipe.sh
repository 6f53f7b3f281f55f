# A reader that goes away early is no failure.
{ kymo report "$RUN" --tree --top 0; echo "status $?" >&2; } | true
