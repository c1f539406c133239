"""The catalogue: one transactional database that says what exists. Its queries are written once, in SQL that SQLite
and PostgreSQL both speak; a database only has to run them (`takeback.store.catalogue.database`)."""
