"""Six things that a reader does with the keyboard alone; each function raises if that cannot be done."""

from urllib.parse import urldefrag

MANY = 400  # presses of Tab after which a reader has given up


def tab_to(tab, wanted, *, presses=MANY):
    """Press Tab until the focus lies on what the script `wanted` (of the element `node`) says; returns the presses."""
    for count in range(1, presses + 1):
        tab.keyboard.press("Tab")
        if tab.evaluate(f"() => {{ const node = document.activeElement; return Boolean({wanted}); }}"):
            return count
    raise AssertionError(f"{presses} presses of Tab do not lead to {wanted}")


def follow(tab):
    """Press Enter on the link in focus and wait for the page that it leads to; returns its address."""
    target = tab.evaluate("() => document.activeElement.href")
    tab.keyboard.press("Enter")
    page, anchor = urldefrag(target)
    tab.wait_for_url(lambda address: urldefrag(address)[0].split("?")[0] == page.split("?")[0])
    tab.wait_for_load_state()
    return anchor


def find_definition(tab, start):
    """From the first page by the search to the entry of the grouping loss in the glossary."""
    tab.goto(f"{start}index.html")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("grouping loss")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?*")
    tab.wait_for_selector("#search-results li a")
    tab.wait_for_function("() => /finished|found/i.test(document.querySelector('#search-results').textContent)")
    tab_to(tab, "node.closest('#search-results') && /glossary/.test(node.href)")
    follow(tab)
    assert tab.locator("#term-grouping-loss + dd").inner_text().startswith("The mean squared distance")


def open_check(tab, start):
    """In the ledger, by the filter, to the notebook that checks proposition 3."""
    tab.goto(f"{start}ledger.html")
    tab_to(tab, "node.id === 'ledger-words'")
    tab.keyboard.type("proposition 3")
    assert "words=proposition" in tab.url
    tab_to(tab, "node.closest('table.ledger tr') && /Prop/i.test(node.closest('tr').cells[0].textContent)"
                " && /notebooks/.test(node.href)")  # fmt: skip
    follow(tab)
    assert "/notebooks/" in tab.url


def reach_subgroups(tab, start):
    """From the audit of scores to the lesson on subgroups, by a link in the text."""
    tab.goto(f"{start}notebooks/13_audit_your_scores.html")
    tab.keyboard.press("Tab")
    assert "main-content" in tab.evaluate("() => document.activeElement.href")
    tab.keyboard.press("Enter")
    tab_to(tab, "node.closest('article') && /07_who_is_misjudged/.test(node.href)")
    follow(tab)
    assert "07_who_is_misjudged" in tab.url


def copy_code(tab, start):
    """The code of the first cell of a lesson that has a button for it, into the clipboard."""
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.goto(f"{start}notebooks/00_start_here.html")
    tab_to(tab, "node.matches('button.copybtn')")
    tab.wait_for_timeout(300)
    shown = float(tab.evaluate("() => getComputedStyle(document.activeElement).opacity"))
    assert shown > 0.5, "the button in focus cannot be seen"
    code = tab.evaluate("() => document.activeElement.closest('.highlight').querySelector('pre').innerText")
    tab.keyboard.press("Enter")
    tab.wait_for_timeout(300)
    assert tab.evaluate("() => navigator.clipboard.readText()").strip() == code.strip()


def change_theme(tab, start):
    """From light to dark by the button at the top, and still dark on the next page."""
    tab.goto(f"{start}index.html")
    tab_to(tab, "node.matches('.theme-switch-button')")
    tab.keyboard.press("Enter")
    tab.wait_for_function("() => document.activeElement.matches('.theme-change-button')")
    for _ in range(3):
        if tab.evaluate("() => document.activeElement.dataset.mode") == "dark":
            break
        tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    assert tab.evaluate("() => document.documentElement.dataset.theme") == "dark"
    tab.goto(f"{start}glossary.html")
    assert tab.evaluate("() => document.documentElement.dataset.theme") == "dark"


def follow_route(tab, start):
    """From the first page onto a route, along it where it turns back to a lower number, and off it."""
    tab.goto(f"{start}index.html")
    stops = tab.eval_on_selector_all("article a[href*='route=language']", "links => links.map((link) => link.href)")
    numbers = [int(stop.split("/")[-1][:2]) for stop in stops]
    turn = next(k for k in range(len(stops) - 1) if numbers[k + 1] < numbers[k])
    tab_to(tab, f"node.href === {stops[turn]!r}")
    follow(tab)
    arrow = "() => document.querySelector('.prev-next-area .right-next').href"
    assert tab.evaluate(arrow) == stops[turn + 1]
    tab.goto(stops[turn].split("?")[0])  # as by a link in a text, which says nothing of the route
    tab_to(tab, "node.matches('.prev-next-area .right-next')")
    follow(tab)
    assert tab.url == stops[turn + 1]
    tab.goto(stops[turn].split("?")[0])
    tab_to(tab, "node.closest('.honest-route')")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**?route=")
    assert tab.evaluate(arrow) != stops[turn + 1] and tab.locator(".honest-route").count() == 0


TASKS = (find_definition, open_check, reach_subgroups, copy_code, change_theme, follow_route)
