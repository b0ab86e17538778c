"""Foreign formats: each reads to a `holonom.model.Model` and writes from one."""

from .adams import parse_acf, parse_adm, parse_cmd, read_acf, read_adm, read_cmd, write_acf, write_adm

__all__ = ["parse_acf", "parse_adm", "parse_cmd", "read_acf", "read_adm", "read_cmd", "write_acf", "write_adm"]
