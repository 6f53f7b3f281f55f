"""A tidal harbour: the sea outside, the water inside, the ships, the report."""
