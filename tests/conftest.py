"""What all tests share: no test of ours fails because its machine was busy."""

from hypothesis import settings

settings.register_profile("parlour", deadline=None)
settings.load_profile("parlour")
