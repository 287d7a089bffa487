"""A plugin of pytest for runs of mutations: a failing input says enough, and need not be made small."""

from hypothesis import Phase, settings

# The suite's own profile, which is made after this, takes from it what it leaves open.
settings.register_profile("unshrunk", phases=(Phase.explicit, Phase.reuse, Phase.generate))
settings.load_profile("unshrunk")
