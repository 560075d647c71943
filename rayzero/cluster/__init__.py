"""The pipeline as Ray actors: the only part of rayzero that knows Ray."""
