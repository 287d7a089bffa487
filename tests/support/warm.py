"""What every server makes or loads at its start, made once for all that are forked off this process."""

from parlour_server import games
from parlour_server.net.site import own_site

own_site()
games.all_games()
# Their modules are loaded; which there are depends on where a server looks.
games._registry.cache_clear()
