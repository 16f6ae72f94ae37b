"""Sources of facts: the world as bindings, one file a source."""
