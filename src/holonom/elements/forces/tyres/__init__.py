"""Tyres: forces between a wheel and a road, one file a model over the same contact (`contact`)."""
