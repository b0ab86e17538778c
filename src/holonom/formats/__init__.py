"""Foreign formats: each reads to a `holonom.model.Model` and writes from one."""

from .adams import parse_adm, read_adm

__all__ = ["parse_adm", "read_adm"]
