"""What can go wrong with the lab itself, as opposed to what is tested in it."""


class LabError(Exception):
    """Says what is wrong, and what to do."""


class Oops(LabError):
    """The guest's kernel is broken: another one may do."""
