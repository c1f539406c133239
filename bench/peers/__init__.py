"""Whom takeback is compared with: one module a peer, each driving the real program exactly as its users do."""
