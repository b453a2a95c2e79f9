"""The embedded model: its catalog, its weights, and the engine that serves it on loopback."""
