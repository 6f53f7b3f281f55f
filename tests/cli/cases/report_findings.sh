# Which others are told, and where this one stands, depends on the machine.
kymo report "$RUN" --findings | grep -A 1 -E "calls itself" | sed "s/^ *[0-9]*[.] *//"
