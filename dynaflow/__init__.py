"""DynaFlow."""
