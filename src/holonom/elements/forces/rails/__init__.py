"""Wheels on rails: ellipse of contact, creep forces, shape of the track, and the force that is made of them."""
