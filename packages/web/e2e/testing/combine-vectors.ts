const run = 'window.hit=1'
const away = 'https://elsewhere.invalid/x'

/** Elements that fire an event by themselves or on interaction, with the event. */
const firing: [open: string, event: string][] = [
  ['img src=x', 'onerror'],
  ['img src=data:image/gif;base64,R0lGODlhAQABAAAAACw=', 'onload'],
  ['image src=x', 'onerror'],
  ['svg', 'onload'],
  ['svg><set attributeName=x', 'onbegin'],
  ['svg><animate attributeName=x dur=1s', 'onbegin'],
  ['svg><animateTransform attributeName=x dur=1s', 'onend'],
  ['svg><a xlink:href=#', 'onclick'],
  ['math><mi', 'onclick'],
  ['body', 'onload'],
  ['body', 'onpageshow'],
  ['frameset', 'onload'],
  ['iframe src=about:blank', 'onload'],
  ['embed src=x', 'onerror'],
  ['object data=x', 'onerror'],
  ['video src=x', 'onerror'],
  ['video><source src=x', 'onerror'],
  ['audio src=x', 'onloadstart'],
  ['track src=x', 'onerror'],
  ['link rel=stylesheet href=/x', 'onerror'],
  ['style', 'onload'],
  ['script src=/x', 'onerror'],
  ['input autofocus', 'onfocus'],
  ['input type=image src=x', 'onerror'],
  ['select autofocus', 'onfocus'],
  ['textarea autofocus', 'onfocus'],
  ['button autofocus', 'onfocus'],
  ['keygen autofocus', 'onfocus'],
  ['details open', 'ontoggle'],
  ['dialog open', 'onclose'],
  ['marquee', 'onstart'],
  ['p', 'onmouseover'],
  ['a href=#', 'onclick'],
  ['a href=#', 'onpointerenter'],
  ['div tabindex=0', 'onfocusin'],
  ['div style=animation-name:x', 'onanimationstart'],
  ['div style=transition:1s', 'ontransitionend'],
  ['p contenteditable', 'onbeforeinput'],
  ['custom-tag', 'onclick'],
  ['table', 'onmouseenter'],
]

/** Attribute spellings that text parsers and browsers may read differently. */
const handlers: ((event: string) => string)[] = [
  (event) => ` ${event}="${run}"`,
  (event) => ` ${event}='${run}'`,
  (event) => ` ${event}=${run}`,
  (event) => `/${event}=${run}`,
  (event) => `\t${event}\n=\n"${run}"`,
  (event) => `\f${event.toUpperCase()}="${run}"`,
  (event) => ` x="'>" ${event}=${run}`,
  (event) => ` ${event}="${entities(run)}"`,
  (event) => ` "${event}=${run}`,
  (event) => ` ${event}=\`${run}\``,
]

/** Contexts where markdown allows markup, or seems to. */
const surroundings: ((markup: string) => string)[] = [
  (markup) => `> ${markup}`,
  (markup) => `1. ${markup}`,
  (markup) => `### ${markup}`,
  (markup) => `**${markup}**`,
  (markup) => `[${markup}](https://example.org)`,
  (markup) => `![${markup}](/ai/blobs/x)`,
  (markup) => `| a |\n|---|\n| ${markup} |`,
  (markup) => `\`\`${markup}`,
  (markup) => `\`\`\`html ${markup}\n${markup}\n`,
  (markup) => `<p>\n\n${markup}\n\n</p>`,
  (markup) => `<!-- x -->${markup}`,
  (markup) => `$$${markup}$$`,
  (markup) => `$\\text{${markup}}$`,
  (markup) => `[^1]\n\n[^1]: ${markup}`,
  (markup) => `\\${markup}`,
]

/** Markup whose meaning changes when it is parsed, serialized and parsed again. */
const mutations: ((markup: string) => string)[] = [
  (markup) => `<noscript><p title="</noscript>${markup}">`,
  (markup) => `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;${markup}">`,
  (markup) => `<svg></p><style><a id="</style>${markup}">`,
  (markup) => `<form><math><mtext></form><form><mglyph><style></math>${markup}`,
  (markup) => `<svg><desc><![CDATA[</desc>${markup}]]></svg>`,
  (markup) => `<svg><foreignObject>${markup}</foreignObject></svg>`,
  (markup) => `<template>${markup}</template>`,
  (markup) => `<textarea>${markup}`,
  (markup) => `<title>${markup}`,
  (markup) => `<xmp></xmp>${markup}`,
  (markup) => `<iframe srcdoc="${markup.replaceAll('"', '&quot;')}">`,
  (markup) => `<select><style></select>${markup}`,
  (markup) => `<table><caption>${markup}`,
  (markup) => `<b><a><b><a>${markup}`,
  (markup) => `</article></main>${markup}`,
  (markup) => `<scr<script>ipt>${markup}</scr</script>ipt>`,
  (markup) => `\u0000${markup}`,
  (markup) => `${markup.replace('<', '<\u0000')}`,
  (markup) => `${markup.replaceAll('<', '&lt;')}`,
  (markup) => `${markup.replaceAll('<', '\uFF1C')}`,
]

/** URLs that execute code, in various disguises. */
const addresses: string[] = [
  `javascript:${run}`,
  `JAVASCRIPT:${run}`,
  ` javascript:${run}`,
  `\u0001javascript:${run}`,
  `java\nscript:${run}`,
  `java&Tab;script:${run}`,
  `javascript&colon;${run}`,
  `&#x6A;avascript:${run}`,
  `&#0000106avascript:${run}`,
  `%6Aavascript:${run}`,
  `javascript://example.org/%0A${run}`,
  `javascript:/*https://*/${run}`,
  `data:text/html,<script>${run}</script>`,
  `data:text/html;base64,PHNjcmlwdD53aW5kb3cuaGl0PTE8L3NjcmlwdD4=`,
  `data:image/svg+xml,<svg onload=${run}>`,
  `data:application/xhtml+xml,<script xmlns='http://www.w3.org/1999/xhtml'>${run}</script>`,
  `vbscript:${run}`,
  `blob:${run}`,
  `view-source:javascript:${run}`,
  `//elsewhere.invalid/x`,
  `\\\\elsewhere.invalid\\x`,
  `/ai/chat`,
]

/** Places where a URL is followed, fetched or shown. */
const sinks: ((address: string) => string)[] = [
  (address) => `[click](${address})`,
  (address) => `[click](<${address}>)`,
  (address) => `[click][a]\n\n[a]: ${address}`,
  (address) => `![picture](${address})`,
  (address) => `<${address}>`,
  (address) => `<a href="${address}">click</a>`,
  (address) => `<a xlink:href="${address}">click</a>`,
  (address) => `<svg><a xlink:href="${address}"><text>x</text></a></svg>`,
  (address) => `<svg><use href="${address}#x"></use></svg>`,
  (address) => `<svg><image href="${address}"/></svg>`,
  (address) => `<math href="${address}"><mi>x</mi></math>`,
  (address) => `<iframe src="${address}"></iframe>`,
  (address) => `<form action="${address}"><input type=submit></form>`,
  (address) => `<button formaction="${address}">x</button>`,
  (address) => `<object data="${address}"></object>`,
  (address) => `<embed src="${address}">`,
  (address) => `<base href="${address}">`,
  (address) => `<meta http-equiv=refresh content="0;url=${address}">`,
  (address) => `<area href="${address}">`,
  (address) => `<link rel=import href="${address}">`,
  (address) => `$\\href{${address}}{x}$`,
  (address) => `$$\\includegraphics{${address}}$$`,
  (address) => `<details open><summary><a href='${address}'>x</a></summary></details>`,
  (address) => `<blockquote cite="${address}">x</blockquote>`,
]

const fetchers = ['img', 'video', 'audio', 'input type=image', 'table', 'body', 'object', 'link rel=preload as=image']
const fetched = 'src srcset poster background data href action ping longdesc lowsrc dynsrc'.split(' ')
const properties = 'background background-image list-style border-image content cursor mask filter'.split(' ')
const styles: ((property: string) => string)[] = [
  (property) => `<p style="${property}:url(${away})">x</p>`,
  (property) => `<style>*{${property}:url('${away}')}</style>`,
  (property) => `<svg><style>*{${property}:url(${away})}</style></svg>`,
]
const links = 'stylesheet prefetch preload preconnect dns-prefetch modulepreload icon manifest'.split(' ')

/**
 * Combines tricks: if one rule misses something, the next must catch it. `all`: every sensible combination; `each`:
 * every part once.
 */
export function combineVectors(ways: 'all' | 'each'): string[] {
  const pairs = ways === 'all' ? everyPair : eachOnce
  const markups = everyPair(firing, handlers).map(([[open, event], write]) => `<${open}${write(event)}>`)
  const some = markups.filter((_, index) => index % 11 === 0)
  return [
    ...pairs(firing, handlers).map(([[open, event], write]) => `<${open}${write(event)}>`),
    ...pairs(some, surroundings).map(([markup, put]) => put(markup)),
    ...pairs(some, mutations).map(([markup, wrap]) => wrap(markup)),
    ...pairs(addresses, sinks).map(([address, put]) => put(address)),
    ...pairs(fetched, fetchers).map(([attribute, element]) => `<${element} ${attribute}="${away}.png 1x">`),
    ...pairs(properties, styles).map(([property, write]) => write(property)),
    ...links.map((kind) => `<link rel="${kind}" href="${away}">`),
  ]
}

function everyPair<A, B>(ones: readonly A[], others: readonly B[]): [A, B][] {
  return ones.flatMap((one) => others.map((other): [A, B] => [one, other]))
}

function eachOnce<A, B>(ones: readonly A[], others: readonly B[]): [A, B][] {
  return Array.from({ length: Math.max(ones.length, others.length) }, (_, index) => [
    ones[index % ones.length] as A,
    others[index % others.length] as B,
  ])
}

function entities(text: string): string {
  return text.replaceAll(/./g, (letter) => `&#${letter.codePointAt(0)};`)
}
