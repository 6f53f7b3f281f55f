printf 'main;solve;left 30\nmain;solve;right 30\nmain;rest 40\n' >x.folded
kymo import x.folded --unit ms -o run 2>/dev/null
kymo report run --hot-path --format csv
kymo report run --hot-path | tail -n 1
kymo report run --hot-path --above 61 --format csv
kymo report run --hot-path --above 61 | tail -n 1
