"""How much one connection, one player, one address may ask for."""
