"""Co-simulation: simulations and FMUs that are stepped together by a master."""
