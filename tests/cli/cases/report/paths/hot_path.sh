printf 'main;solve;solve;work 60\nmain;solve;solve 10\nmain;solve;other 20\nmain;rest 10\n' >x.folded
kymo import x.folded --unit ms -o run 2>/dev/null
kymo report run --hot-path
kymo report run --hot-path --above 80 | tail -n 1
