"""The team source: what a swarm of agents shares, as one cut, put back by staging and swapping under the swarm's own locks."""
