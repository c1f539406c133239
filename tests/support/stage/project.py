"""What the web shop looked like before any agent came: a little Python, a little TypeScript, and pictures."""

from __future__ import annotations

from support.stage import picture

_README = """\
# tinyshop

A shop that fits on one page.

    pip install -e .
    python -m shop.app

## Layout

- `shop/` the server
- `web/` what customers see
- `tests/` what must hold
"""

_APP = '''\
"""The server: a few routes over the catalogue and the cart."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from shop.cart import Cart
from shop.catalog import Catalog
from shop.checkout import checkout

CATALOG = Catalog.load("shop/products.json")
CARTS: dict[str, Cart] = {}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/products":
            self.answer(200, [vars(product) for product in CATALOG.products])
        elif self.path.startswith("/cart/"):
            self.answer(200, self.cart().as_dict())
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        if self.path == "/checkout":
            self.answer(200, checkout(self.cart(), CATALOG))
        else:
            self.send_error(404)

    def cart(self) -> Cart:
        return CARTS.setdefault(self.headers.get("X-Customer", ""), Cart())

    def answer(self, status: int, value: object) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
'''

_CART = '''\
"""What a customer is about to buy."""

from dataclasses import dataclass, field


@dataclass
class Cart:
    items: dict[str, int] = field(default_factory=dict)

    def add(self, product: str, count: int = 1) -> None:
        self.items[product] = self.items.get(product, 0) + count

    def remove(self, product: str) -> None:
        self.items.pop(product, None)

    def total(self, prices: dict[str, int]) -> int:
        """In cents."""
        return sum(prices[product] * count for product, count in self.items.items())

    def as_dict(self) -> dict[str, int]:
        return dict(self.items)
'''

_CATALOG = '''\
"""Everything that can be bought."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Product:
    name: str
    cents: int
    stock: int


@dataclass
class Catalog:
    products: list[Product]

    @classmethod
    def load(cls, path: str) -> "Catalog":
        return cls([Product(**each) for each in json.loads(Path(path).read_text())])

    def prices(self) -> dict[str, int]:
        return {product.name: product.cents for product in self.products}
'''

_CHECKOUT = '''\
"""From a cart to an order."""

from shop.cart import Cart
from shop.catalog import Catalog

SHIPPING = 490


def checkout(cart: Cart, catalog: Catalog) -> dict[str, object]:
    """The order, with what it costs in cents."""
    total = cart.total(catalog.prices())
    return {"items": cart.as_dict(), "shipping": SHIPPING, "total": total + SHIPPING}
'''

_TEST_CART = """\
from shop.cart import Cart

PRICES = {"mug": 1200, "tea": 650}


def test_total_counts_every_item() -> None:
    cart = Cart()
    cart.add("mug", 2)
    cart.add("tea")
    assert cart.total(PRICES) == 3050


def test_what_is_removed_costs_nothing() -> None:
    cart = Cart()
    cart.add("mug")
    cart.remove("mug")
    assert cart.total(PRICES) == 0
"""

_TEST_CHECKOUT = """\
from shop.cart import Cart
from shop.catalog import Catalog, Product
from shop.checkout import SHIPPING, checkout

CATALOG = Catalog([Product("mug", 1200, 3)])


def test_shipping_is_added() -> None:
    cart = Cart()
    cart.add("mug")
    assert checkout(cart, CATALOG)["total"] == 1200 + SHIPPING
"""

_CART_JS = """\
const cart = {};

function add(product, count) {
  cart[product] = (cart[product] || 0) + (count || 1);
  render();
}

function render() {
  document.querySelector("#cart").textContent = JSON.stringify(cart);
}
"""

_API_TS = """\
export interface Product {
  name: string;
  cents: number;
  stock: number;
}

export async function products(): Promise<Product[]> {
  const answer = await fetch("/products");
  return answer.json();
}
"""

_INDEX = """\
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>tinyshop</title>
    <link rel="stylesheet" href="styles.css" />
  </head>
  <body>
    <img src="../assets/banner.png" alt="tinyshop" />
    <main id="products"></main>
    <aside id="cart"></aside>
    <script src="src/cart.js"></script>
  </body>
</html>
"""

_STYLES = """\
body {
  font-family: sans-serif;
  margin: 2rem auto;
  max-width: 60rem;
}

#cart {
  border: 1px solid #ccc;
  padding: 1rem;
}
"""

_PRODUCTS = """\
[
  {"name": "mug", "cents": 1200, "stock": 14},
  {"name": "tea", "cents": 650, "stock": 80},
  {"name": "teapot", "cents": 3900, "stock": 5}
]
"""

FILES: dict[str, str | bytes] = {
    ".gitignore": "__pycache__/\nnode_modules/\n.env\n",
    ".env": "MAIL_PASSWORD=not-in-any-snapshot\n",
    "README.md": _README,
    "assets/banner.png": picture.banner((120, 170, 220), (40, 90, 150), (250, 240, 200)),
    "assets/logo.png": picture.logo((40, 90, 150)),
    "docs/deploy.md": "# Deploying\n\n1. Build the page: `npm run build`\n2. Copy it to the server\n3. Restart it\n",
    "docs/prices.md": "# Prices\n\nAll prices are kept in cents, and shown in dollars.\n",
    "pyproject.toml": '[project]\nname = "tinyshop"\nversion = "0.9.0"\nrequires-python = ">=3.11"\n',
    "shop/__init__.py": "",
    "shop/app.py": _APP,
    "shop/cart.py": _CART,
    "shop/catalog.py": _CATALOG,
    "shop/checkout.py": _CHECKOUT,
    "shop/products.json": _PRODUCTS,
    "tests/test_cart.py": _TEST_CART,
    "tests/test_checkout.py": _TEST_CHECKOUT,
    "web/index.html": _INDEX,
    "web/package.json": '{\n  "name": "tinyshop",\n  "scripts": { "build": "tsc" }\n}\n',
    "web/src/api.ts": _API_TS,
    "web/src/cart.js": _CART_JS,
    "web/styles.css": _STYLES,
}
"""By path; what is bytes is a picture."""
