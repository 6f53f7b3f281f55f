printf 'main (app.py:1);work (app.py:5) 3\nmain (app.py:1) 1\n' >stacks.txt
kymo import stacks.txt
kymo report kymo-stacks-output
kymo import stacks.txt || echo "not a second time"
kymo import --force --unit ms stacks.txt
kymo export --format collapsed -o - kymo-stacks-output
