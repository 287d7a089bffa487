"""Conversations and rooms as data, to which both the Python SDK and the web page are held.

`protocol/*.json` and `room/*.json` have scenarios by name, each a list of steps, or `steps` and what to play
them `with`, by name: the values that stand for `$words` in them.

A step of a conversation does what it names, in this order of its keys: `connected`, `disconnected`, `request`
(a command or several), `abandon`, `collected` (an id), `undo` (a command and its room), `receive` (a message
or several, text where it is none), `elapsed` (the number of the delay, counted from 0). Then all that
comes of it is `delivered`, `delays` and `sent`, and nothing else; `subscriptions` and `goodbye` are looked at
where they are named. `subscribed` is a whole beginning: connected, and subscribed to the room at a version.

A step of a room has the time `now` of a clock of ours, in milliseconds, perhaps a message to `receive`, and
what it `shows`; see `Shown`. A snapshot's view has what `view.json` has, but for what the message names.

Of what is expected only the named fields are compared; null: it is absent.
"""
