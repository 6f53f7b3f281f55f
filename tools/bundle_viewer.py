#!/usr/bin/env python3
"""Bundle the viewer's modules: bundle_viewer.py VIEWER OUTPUT.c

VIEWER/page.html is the frame, with the lines {{policy}}, {{style}}, {{data}} and {{script}};
styles are all *.css in the order of their names, style.css first; the script is main.js with
the modules it imports.  What is written is the C of src/view/page_template.h.

Modules are plain ES modules that also run as they are, in tests: imports of names from files
by relative paths, `import { a, b as c } from "./x.js"`, and exports of declarations, `export
function`, `export const`, `export class`.  A file below vendor/ is a script as its authors
publish it, for `import name from "./vendor/x.js"`: its default export, or what it assigns to
module.exports.  name[Symbol.for("kymo-make")] is the function that makes it, whose text a worker
can have.  Its licence, x.LICENSE.txt in the same folder, is included in the page.
"""

import base64
import hashlib
import re
import sys
from pathlib import Path

IMPORT = re.compile(
    r'^import\s+(?:\{(?P<names>[^}]*)\}|(?P<whole>\w+))\s+from\s+"(?P<path>\.[^"]+)";\n', re.M
)
EXPORT = re.compile(r"^export (?P<what>(?:async )?function\*?|const|let|class) (?P<name>\w+)", re.M)
VENDOR_EXPORT = re.compile(r"(?<=[;\n}])export\s*\{([^}]*)\};")
SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.M)


class Fault(Exception):
    """An error in the viewer's sources, in one line."""


def modules_from(path, seen, order, opened=()):
    """Append path to order, after all modules that it imports."""
    if path in opened:
        raise Fault(f"{path}: imports itself through {opened[-1].name}")
    if path in seen:
        return
    seen.add(path)
    if not path.is_file():
        raise Fault(f"{opened[-1]}: imports {path.name}, which is not there")
    if "vendor" not in path.parts:
        for found in IMPORT.finditer(path.read_text(encoding="utf-8")):
            inner = (path.parent / found["path"]).resolve()
            modules_from(inner, seen, order, (*opened, path))
    order.append(path)


def destructured(found, names):
    """The statement that replaces an import."""
    if found["whole"]:
        return f"const {found['whole']} = {names}.default;\n"
    inner = found["names"].replace(" as ", ": ")
    return f"const {{{' '.join(inner.split())}}} = {names};\n"


def wrapped_vendor(path):
    """A third-party script, with its licence; names it exports become properties."""
    licence = path.with_name(f"{path.name.split('.')[0]}.LICENSE.txt")
    if not licence.is_file():
        raise Fault(f"{path}: no {licence.name} beside it")
    text = SOURCE_MAP.sub("", path.read_text(encoding="utf-8"))
    text = VENDOR_EXPORT.sub(
        lambda found: "".join(
            f"exports.{outer} = {inner};"
            for inner, _, outer in (each.strip().partition(" as ") for each in found[1].split(","))
        ),
        text,
    )
    # The factory is kept as text, for a worker that needs it.
    return (
        "(() => { const make = () => { const module = { exports: {} }, exports = module.exports;\n"
        f"/*!\n{licence.read_text(encoding='utf-8').replace('*/', '')}*/\n{text}\n"
        "return module.exports.default ?? module.exports; };\n"
        'const made = make(); Object.defineProperty(made, Symbol.for("kymo-make"), '
        "{ value: make });\nreturn { default: made }; })()"
    )


def wrapped(path, number_of):
    """A module as an expression whose value has its exports."""
    if "vendor" in path.parts:
        return wrapped_vendor(path)
    text = path.read_text(encoding="utf-8")
    exported = [found["name"] for found in EXPORT.finditer(text)]
    text = IMPORT.sub(
        lambda found: destructured(
            found, f"modules[{number_of[(path.parent / found['path']).resolve()]}]"
        ),
        text,
    )
    text = EXPORT.sub(lambda found: f"{found['what']} {found['name']}", text)
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"(import|export)\b", line):
            raise Fault(f"{path}:{number}: a form of import or export that is not bundled: {line}")
    return f"(() => {{\n{text}\nreturn {{ {', '.join(exported)} }}; }})()"


def script_of(viewer):
    order = []
    modules_from((viewer / "main.js").resolve(), set(), order)
    number_of = {path: number for number, path in enumerate(order)}
    parts = [f"modules.push({wrapped(path, number_of)});" for path in order]
    text = '"use strict";\nconst modules = [];\n' + "\n".join(parts) + "\n"
    # An end tag inside would end the enclosing element.
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def style_of(viewer):
    files = sorted(viewer.rglob("*.css"), key=lambda path: (path.name != "style.css", path))
    return "".join(path.read_text(encoding="utf-8") for path in files)


def hash_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy_of(script, style, has_server):
    """Content-Security-Policy: nothing is fetched except from the server, if there is one."""
    parts = [
        "default-src 'none'",
        f"script-src {hash_of(script)}",
        f"style-src {hash_of(style)}",
        "img-src data: blob:",
        "worker-src blob:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    if has_server:
        parts.append("connect-src 'self'")
    return "; ".join(parts)


def c_array(name, text):
    lines = [f"static const unsigned char {name}_text[] = {{"]
    data = text.encode()
    lines += [
        ",".join(str(byte) for byte in data[at : at + 24]) + "," for at in range(0, len(data), 24)
    ]
    lines.append("};")
    lines.append(
        f"const struct page_template {name} = {{(const char *){name}_text, sizeof({name}_text)}};\n"
    )
    return "\n".join(lines)


def main(viewer, output):
    viewer = Path(viewer)
    frame = (viewer / "page.html").read_text(encoding="utf-8")
    style, script = style_of(viewer), script_of(viewer)
    head, rest = frame.split("{{title}}")
    body, end = rest.replace("{{style}}", style).split("{{data}}")
    parts = {
        "page_template_head": head.replace("{{policy}}", policy_of(script, style, False)),
        "page_template_served_head": head.replace("{{policy}}", policy_of(script, style, True)),
        "page_template_body": body,
        "page_template_end": end.replace("{{script}}", script),
    }
    Path(output).write_text(
        "/* Made by tools/bundle_viewer.py. */\n"
        '#include "view/page_template.h"\n\n'
        + "\n".join(c_array(name, text) for name, text in parts.items()),
        encoding="ascii",
    )


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Fault as fault:
        sys.exit(f"bundle_viewer.py: {fault}")
