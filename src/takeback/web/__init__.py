"""`takeback web`: the timeline as a page in a browser, and a JSON API under it.

`serving` binds, runs and ends the server; `gate` decides who is let in; `app` joins the routes; `api/` is a file a
subject; `pages` are the shells that the scripts in `static/` fill. What is shown is `takeback.views`, as in every face.
Importing this package loads nothing of Starlette.
"""
