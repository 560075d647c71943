"""How strong is it: players, matches, ratings, the ladder of a run and its best model."""
