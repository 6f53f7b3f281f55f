cat > nothing.py < /dev/null
PYTHONPATH=$(dirname $(dirname $(command -v kymo)))/python KYMO_OUTPUT_PATH=out KYMO_TIME_OUTPUT=OFF "$PYTHON" -m kymo -q --noinstrumenter -- nothing.py
kymo report out | tail -3
