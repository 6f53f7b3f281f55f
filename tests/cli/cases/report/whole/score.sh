# What a trace would cost, and the rules for the next run: Python's regions are not in them.
kymo report --score --filter-file rules --top 4 "$RUN"
cat rules
