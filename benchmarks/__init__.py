"""Task sets, graders and measurements. Needs the extra `bench`."""
