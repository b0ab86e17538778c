"""Contact: shapes and pairs of shapes, force laws, friction, the search for near pairs, and the engine that joins
them."""
