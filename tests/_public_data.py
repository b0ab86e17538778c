"""What the reasons of skips begin with that come from the folder of public data files (``../shared/data``); see
`conftest`."""

NEEDS = "needs the public data files"
