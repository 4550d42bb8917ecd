"""Failures of the lab itself, not of the tested program."""


class LabError(Exception):
    """A failure of the lab. The message has the cause and the action to take."""


class Oops(LabError):
    """The guest's kernel is broken. Another kernel may work."""
