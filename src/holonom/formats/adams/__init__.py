"""Adams: solver datasets (.adm), solver commands (.acf) and Adams View command files (.cmd)."""

from .reader import parse_adm, read_adm
from .script import Script, parse_acf, read_acf, write_acf
from .view_cmd import parse_cmd, read_cmd
from .view_writer import write_cmd
from .writer import write_adm

__all__ = [
    "Script",
    "parse_acf",
    "parse_adm",
    "parse_cmd",
    "read_acf",
    "read_adm",
    "read_cmd",
    "write_acf",
    "write_adm",
    "write_cmd",
]
