"""Studies that ship with Holonom: `holonom study run NAME` runs one in the current folder, `holonom study list` lists
them."""
