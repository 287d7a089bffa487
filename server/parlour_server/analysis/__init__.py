"""Where searches run: scheduler, pools, workers, kernel loading."""
