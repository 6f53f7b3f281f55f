"""Native functions: what recording their calls costs, and whether it is right."""
