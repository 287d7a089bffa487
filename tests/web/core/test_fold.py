"""The page folds by the function of docs/protocol.md, which is proven there."""

import re

from tests.docs.markdown import ROOT, blocks, page


def test_it_is_the_function_of_the_protocols_page() -> None:
    module = (ROOT / "server/parlour_server/web/core/fold.js").read_text(encoding="utf-8")
    # Its types are comments.
    code = re.sub(r"^ */\*\*.*?\*/\n", "", module, flags=re.DOTALL | re.MULTILINE).strip()
    (source,) = [block for block in blocks(page("docs/protocol.md"), "js") if "function fold" in block]
    assert code == f"export {source}".strip()
