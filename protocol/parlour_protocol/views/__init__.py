"""What clients see of rooms, boards, clocks, games and searches: plain data."""
