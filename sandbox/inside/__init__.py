"""What runs in the child: the workflow language itself. The host imports none of it."""
