"""The demo: a week of traffic in a tidal harbour, from the sea to the printed report.

It has what real programs have: several modules, classes, threads, generators, an event
loop, text processing.  The output depends on nothing but the arguments.
"""

import argparse
import threading

from harbour import basin, report, tides, traffic


def find_high_waters(stations, hours):
    """High waters of each station, one thread a station."""
    found = {}

    def search(station):
        found[station.name] = list(station.high_waters(hours))

    threads = [
        threading.Thread(target=search, args=(station,), name=f"tide-{station.name}")
        for station in stations
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {station.name: found[station.name] for station in stations}


def forecast(days):
    hours = days * 24
    stations = tides.load_stations()
    high_waters = find_high_waters(stations, hours)
    surge = basin.simulate_surge(cells=200, steps=days * 100)
    log = traffic.simulate(stations[0], surge, hours)
    return report.render(stations, high_waters, log)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=14, help="length of the forecast")
    for line in forecast(parser.parse_args().days):
        print(line)


if __name__ == "__main__":
    main()
