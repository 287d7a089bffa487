"""What programs on one machine say to each other: notes of running servers, the admin socket."""
