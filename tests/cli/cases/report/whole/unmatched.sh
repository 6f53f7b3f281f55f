for view in --flat --tree --by-module --imbalance --score "--ranks --group process" --series; do
	echo "$view:"
	kymo report "$RUN2" $view --filter '^nowhere$' | sed -n '/^$/,$p' | grep '^('
done
kymo report "$RUN" --flat --thread 0 --filter '^nowhere$' --format csv | wc -l
ln -s "$RUN" a; ln -s "$RUN2" b
kymo diff --filter '^nowhere$' a b | tail -1
kymo diff --tree --filter '^nowhere$' a b | tail -1
