"""The Adams function language: text, syntax tree, bytecode, values and exact derivatives.  Knows no mechanics."""
