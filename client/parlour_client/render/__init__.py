"""Drawings: boards, bars, tables, trees."""
