kymo export "$RUN" --format pstats -o run.pstats
"$PYTHON" -c '
import pstats
for (file, line, name), (cc, nc, tt, ct, callers) in sorted(pstats.Stats("run.pstats").stats.items()):
    print(name, line, cc, nc)
'
