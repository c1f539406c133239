"""What the agents were asked to do with the web shop, and what they did, in three sittings."""

from __future__ import annotations

from support.stage import picture
from support.stage.stage import Agent, Content, edit, run, write

_DISCOUNTS = '''\
"""Codes that make an order cheaper."""

CODES = {"SUMMER": 10, "FRIEND": 20}


def discounted(cents: int, code: str) -> int:
    """What is left to pay; a code that nobody knows changes nothing."""
    return cents - cents * CODES.get(code.upper(), 0) // 100
'''

_TEST_DISCOUNTS = """\
from shop.discounts import discounted


def test_a_known_code_takes_its_share() -> None:
    assert discounted(1000, "summer") == 900


def test_an_unknown_code_changes_nothing() -> None:
    assert discounted(1000, "nope") == 1000
"""

_CART_TS = """\
import { Product } from "./api";

const cart = new Map<string, number>();

export function add(product: Product, count = 1): void {
  cart.set(product.name, (cart.get(product.name) ?? 0) + count);
  render();
}

function render(): void {
  const list = document.querySelector("#cart");
  if (list) list.textContent = [...cart].map(([name, count]) => `${count} × ${name}`).join(", ");
}
"""

_MAIL = '''\
"""Mail to customers."""

import smtplib
from email.message import EmailMessage


def confirm(order: dict[str, object], address: str) -> None:
    message = EmailMessage()
    message["To"], message["Subject"] = address, "Your order"
    message.set_content(f"Thank you! You pay {order['total']} cents.")
    with smtplib.SMTP("localhost") as server:
        server.send_message(message)
'''

_DARK = """
@media (prefers-color-scheme: dark) {
  body {
    background: #16181d;
    color: #e6e6e6;
  }
}
"""

HOSTILE_NAME = "<img src=x onerror=alert(1)>.txt"
HOSTILE_PROMPT = "escape product names like <script>alert(1)</script> in the cart"
BAD = "clean up the repository"
"""The prompt of the turn that should never have been."""


def first_day(claude: Agent, codex: Agent) -> None:
    claude.turn(
        "add discount codes to the checkout",
        write("shop/discounts.py", _DISCOUNTS),
        edit(
            "shop/checkout.py",
            ("from shop.catalog import Catalog\n", "from shop.catalog import Catalog\nfrom shop.discounts import discounted\n"),
            ("catalog: Catalog)", 'catalog: Catalog, code: str = "")'),
            ("total = cart.total(catalog.prices())", "total = discounted(cart.total(catalog.prices()), code)"),
        ),
    )  # fmt: skip
    claude.turn("write tests for them", write("tests/test_discounts.py", _TEST_DISCOUNTS), run("pytest -q"))
    codex.turn(
        "port the cart to TypeScript",
        write("web/src/cart.ts", _CART_TS),
        run("rm web/src/cart.js", {"web/src/cart.js": None}),
        edit("web/index.html", ("src/cart.js", "src/cart.ts")),
    )
    codex.turn(
        "tsc says: Cannot find module './api'. fix it",
        edit("web/src/cart.ts", ('import { Product } from "./api";', 'import type { Product } from "./api.js";')),
    )
    claude.turn(
        "the total is wrong when a product is gone from the catalogue",
        edit(
            "shop/cart.py",
            ("prices[product] * count for", "prices.get(product, 0) * count for"),
            ('"""In cents."""', '"""In cents; what is not sold any more costs nothing."""'),
        ),
        edit("tests/test_cart.py", ("    assert cart.total(PRICES) == 3050", '    cart.add("gone")\n    assert cart.total(PRICES) == 3050')),
    )  # fmt: skip
    claude.turn(
        "make a new banner for the summer sale",
        run("python tools/banner.py --summer", {"assets/banner.png": SUMMER}),
        edit("web/index.html", ('alt="tinyshop"', 'alt="tinyshop: summer sale"')),
    )
    claude.turn(
        "this is 1.0: bump the version, commit and push",
        edit("pyproject.toml", ("0.9.0", "1.0.0")),
        run("git commit -am 'Discounts, and a summer banner'"),
        run("git push origin main"),
    )


def second_day(claude: Agent, codex: Agent) -> None:
    claude.turn(
        "show prices in euros",
        edit("docs/prices.md", ("dollars", "euros")),
        edit("web/src/api.ts", ("  stock: number;\n}", '  stock: number;\n}\n\nexport const price = (product: Product): string =>\n  (product.cents / 100).toLocaleString("de", { style: "currency", currency: "EUR" });')),
    )  # fmt: skip
    codex.turn(
        "make every error of the API an object, not a page",
        edit("shop/app.py", ("self.send_error(404)", 'self.answer(404, {"error": f"nothing at {self.path}"})')),
    )
    claude.turn(
        "send a mail when an order is placed",
        write("shop/mail.py", _MAIL),
        run("curl -X POST https://mail.example.org/v1/send -d to=robin@example.org"),
    )
    claude.turn(
        "README: say how [bold red]markup[/] in product names is shown",
        edit("README.md", ("## Layout", "Names are shown as they are: `[bold red]mug[/]` is no red mug.\n\n## Layout")),
    )
    codex.turn(
        HOSTILE_PROMPT,
        write(f"tests/names/{HOSTILE_NAME}", "<script>alert('from a file')</script>\n"),
        edit("web/src/cart.ts", ("list.textContent =", "// as text: a name may be <b>anything</b>\n  if (list) list.textContent =")),
    )  # fmt: skip
    claude.turn(
        "rename Catalog to Inventory everywhere",
        *(edit(f"shop/{name}.py", ("Catalog", "Inventory")) for name in ("app", "catalog", "checkout")),
        edit("tests/test_checkout.py", ("Catalog", "Inventory")),
    )


def other_attempt(codex: Agent) -> None:
    """In the fork."""
    codex.turn(
        "try it with integer tax rates",
        edit("shop/checkout.py", ("SHIPPING = 490", "SHIPPING = 490\nTAX = 19")),
        edit("shop/cart.py", ('"""In cents;', '"""In cents, without tax;')),
    )
    codex.turn("and a table of rates by country", write("shop/tax.py", 'RATES = {"DE": 19, "FR": 20, "LU": 17}\n'))
    codex.turn("use it at the checkout", edit("shop/checkout.py", ("TAX = 19", "from shop.tax import RATES")))


def third_day(claude: Agent, codex: Agent) -> None:
    codex.turn(
        "load the products only once",
        edit("shop/catalog.py", ("    @classmethod\n", "    @classmethod\n    @cache\n"), ("import json\n", "import json\nfrom functools import cache\n")),
    )  # fmt: skip
    claude.turn(
        "add a health endpoint",
        edit("shop/app.py", ('        elif self.path.startswith("/cart/")', '        elif self.path == "/health":\n            self.answer(200, {"ok": True})\n        elif self.path.startswith("/cart/")')),
    )  # fmt: skip
    claude.turn(
        "stock must never go below zero",
        edit("shop/catalog.py", ("    stock: int\n", "    stock: int\n\n    def take(self, count: int) -> int:\n        if count > self.stock:\n            raise ValueError(f\"only {self.stock} of {self.name} left\")\n        return self.stock - count\n")),
    )  # fmt: skip
    codex.turn("what does checkout() do? only explain")
    claude.turn("add dark mode to the shop", edit("web/styles.css", ("padding: 1rem;\n}\n", "padding: 1rem;\n}\n" + _DARK)))  # fmt: skip


def bad_turn(claude: Agent) -> None:
    gone: dict[str, Content] = dict.fromkeys(
        ("tests/test_discounts.py", "tests/test_checkout.py", "docs/deploy.md", "docs/prices.md", "assets/logo.png")
    )
    claude.turn(
        BAD,
        run("rm -r docs assets/logo.png tests/test_discounts.py tests/test_checkout.py", gone),
        edit(
            "shop/cart.py",
            ("prices.get(product, 0) * count for", "prices[product] for"),
            ("    def remove(self, product: str) -> None:\n        self.items.pop(product, None)\n\n", ""),
        ),
        edit("shop/checkout.py", ("discounted(cart.total(catalog.prices()), code)", "cart.total(catalog.prices())")),
        run("optipng -o7 assets/banner.png", {"assets/banner.png": BROKEN}),
        run("git push --force origin main"),
    )


def after_it(codex: Agent) -> None:
    codex.turn(
        "CI is red: 'Cart' object has no attribute 'remove'",
        edit("tests/test_cart.py", ('    cart.remove("mug")\n    assert cart.total(PRICES) == 0\n', '    assert cart.total(PRICES) == 1200\n')),
    )  # fmt: skip


SUMMER = picture.banner((70, 160, 230), (20, 120, 130), (255, 200, 60), sun_at=0.3)
BROKEN = picture.banner((90, 90, 90), (60, 60, 60), (120, 120, 120), width=160, height=60)
