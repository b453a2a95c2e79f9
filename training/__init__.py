"""The SFT pipeline of the main agent. Not built yet: this floor is empty in version 0.1."""
