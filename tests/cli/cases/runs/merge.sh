# status: 1
echo noise > noise.kymo
kymo merge -o all "$RUN" "$RUN2" noise.kymo
echo "status $?"
ls all
kymo report --format csv --sort name --filter '^(fib|main|run|worker)$' all
kymo merge -o all "$RUN"
echo "status $?"
kymo merge -o strict --strict "$RUN" noise.kymo
