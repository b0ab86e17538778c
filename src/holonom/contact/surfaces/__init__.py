"""Contact of the surfaces of flexible bodies: points of a region against rigid shapes and against the facets of another
region."""
