"""Adams: solver datasets (.adm)."""

from .reader import parse_adm, read_adm

__all__ = ["parse_adm", "read_adm"]
