"""Foreign formats: each reads to a `holonom.model.Model` and writes from one."""

from .adams import parse_acf, parse_adm, read_acf, read_adm, write_acf, write_adm

__all__ = ["parse_acf", "parse_adm", "read_acf", "read_adm", "write_acf", "write_adm"]
