printf 'main;solve;step;work 60\nmain;solve;step;other 30\nmain;rest 10\n' >x.folded
kymo import x.folded --unit ms -o run 2>/dev/null
kymo report run --findings
printf 'a 10\nb 10\nc 10\nd 10\ne 10\nf 10\ng 10\nh 10\ni 10\nj 10\n' >y.folded
kymo import y.folded --unit ms -o even 2>/dev/null
kymo report even --findings | tail -n 1
