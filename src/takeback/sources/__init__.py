"""Kinds of things that can be captured and put back, each behind `takeback.sources.protocol.Source`."""
