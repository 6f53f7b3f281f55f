"""The page: writing it, opening it, and using it."""
