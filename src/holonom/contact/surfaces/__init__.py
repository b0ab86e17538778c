"""Contact of the surfaces of parts that bend: points of a region against rigid shapes and against the facets of another
region."""
