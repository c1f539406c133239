"""People and agents at random: the rules of the state machine in `tests/stateful`, one file for each kind of actor."""
