"""Adams: solver datasets (.adm), solver commands (.acf) and Adams View command files (.cmd)."""

from .reader import parse_adm, read_adm
from .script import Script, parse_acf, read_acf, write_acf
from .writer import write_adm

__all__ = ["Script", "parse_acf", "parse_adm", "read_acf", "read_adm", "write_acf", "write_adm"]
