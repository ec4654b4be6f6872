import { isDeepStrictEqual } from 'node:util'
import {
  chartProblem,
  elementsIn,
  iconNames,
  type JsxPage,
  pageHtml,
  readJsx,
  readPage,
  readUiTree,
  type UiElement,
  type UiTree,
} from '@troupe/protocol'
import { expect, test } from 'vitest'
import { hostileVectors, triedVectors } from '../../e2e/testing/hostile-vectors.ts'
import * as icons from './page/icon-data.js'

const tags = new Set(
  'p div span h1 h2 h3 h4 strong b em i s u small sub sup mark code pre kbd blockquote ul ol li dl dt dd table caption thead tbody tfoot tr th td br hr'.split(
    ' ',
  ),
)

/** Returns everything that is not one of our components, a text tag, a web URL or one of our images. */
function odd(root: UiElement): string[] {
  return elementsIn(root).flatMap(({ type, attributes }) => [
    ...(/^[A-Z][A-Za-z]+$/.test(type) || tags.has(type) ? [] : [type]),
    ...Object.keys(attributes).filter((name) => /^on|style|class|html|^__/i.test(name)),
    ...['href', 'src'].flatMap((name) => {
      const value = attributes[name]
      const isFine =
        value === undefined || /^(?:https?:\/\/|mailto:|data:image\/(?:png|jpeg|gif|webp);)/i.test(value as string)
      return isFine ? [] : [`${name}=${String(value as string)}`]
    }),
  ])
}

test('hostile JSX is refused or is words only, whole and while it is written', () => {
  let refused = 0
  const found: [source: string, odd: string[]][] = []
  for (const vector of triedVectors) {
    const quoted = vector.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    const sources = [vector, `<Card>${vector}</Card>`, `<Link href="${quoted}">x</Link>`, `<Card title="${quoted}" />`]
    for (const source of sources) {
      for (const partial of [false, true]) {
        const { root } = readJsx(source, { partial })
        if (root === undefined) refused += 1
        else if (odd(root).length > 0) found.push([source, odd(root)])
      }
    }
  }
  expect(found).toEqual([])
  expect(refused).toBeGreaterThan(triedVectors.length * 4)
})

test('hostile names, props and children of a tree are refused or are words only', () => {
  const found: unknown[] = []
  for (const vector of hostileVectors) {
    const trees = [
      { root: 'a', elements: { a: { type: vector } } },
      { root: 'a', elements: { a: { type: 'Card', props: { [vector]: vector } } } },
      { root: 'a', elements: { a: { type: 'Link', props: { href: vector } } } },
      { root: 'a', elements: { a: { type: 'Image', props: { src: vector } } } },
    ]
    found.push(...trees.slice(0, 2).filter((tree) => !('problem' in readUiTree(tree))))
    found.push(...trees.slice(2).filter((tree) => oddIn(tree).length > 0))
    const words = readUiTree({ root: 'a', elements: { a: { type: 'Text', children: [vector] } } })
    const wanted = { root: { type: 'Text', attributes: {}, children: [vector] } }
    if (!isDeepStrictEqual(words, wanted)) found.push(words)
  }
  expect(found).toEqual([])
})

function oddIn(tree: UiTree): string[] {
  const read = readUiTree(tree)
  return 'root' in read ? odd(read.root) : []
}

test('hostile formatters, symbols and pictures of a chart are refused', () => {
  const markup = hostileVectors.filter((vector) => /<[a-z!/]/i.test(vector))
  expect(markup.length).toBeGreaterThan(1000)
  const passed = markup.filter((vector) => {
    const problems = [
      chartProblem({ series: [], tooltip: { formatter: vector } })?.includes('HTML'),
      chartProblem({ series: [{ symbol: `image://${vector}` }] })?.includes('refers to an external image'),
      chartProblem({ series: [], graphic: { style: { image: vector } } })?.includes('refers to an external image'),
    ]
    return problems.some((isTold) => isTold !== true)
  })
  expect(passed).toEqual([])
})

/** Returns everything in a page of HTML that could act or load. */
function active(nodes: JsxPage['nodes']): string[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return []
    const bad = Object.entries(node.attributes).filter(([name, value]) => {
      const text = String(value)
      if (/^on|^srcdoc$|^formaction$|^action$|^xlink|^srcset$|^background$|^ping$/i.test(name)) return true
      if (name === 'href') return !/^(?:https?:\/\/|mailto:|tel:|#)/i.test(text)
      if (name === 'src') return !/^data:image\//i.test(text)
      return /javascript:|vbscript:|expression\(|@import/i.test(text) && /style|class/.test(name)
    })
    const loads = /url\s*\(\s*['"]?(?!#)/i.test(
      `${String(node.attributes['style'])} ${String(node.attributes['class'])}`,
    )
    const isOdd =
      /^(?:script|iframe|object|embed|base|meta|link|template|foreignObject|frame|frameset|noscript)$/i.test(node.tag)
    const css = node.tag === 'style' && /url\s*\(|@import|</i.test(JSON.stringify(node.children).slice(1, -1))
    return [
      ...bad.map(([name, value]) => `${name}=${String(value)}`),
      ...(loads || isOdd || css ? [node.tag] : []),
      ...active(node.children),
    ]
  })
}

test('hostile pages of HTML are refused or hold nothing that acts or loads, whole and while they are written', () => {
  let read = 0
  const found: [source: string, active: string[]][] = []
  for (const vector of triedVectors) {
    const quoted = vector.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    const text = JSON.stringify(vector)
    const sources = [
      vector,
      `<div className="x">${vector}</div>`,
      `<a href="${quoted}" style="${quoted}" className="${quoted}">x</a>`,
      `<svg><use href={${text}} /><a href={${text}}><animate attributeName={${text}} to={${text}} /></a><image href={${text}} /></svg>`,
      `<div style={{ background: ${text}, [${text}]: ${text} }} {...{ [${text}]: ${text} }}>{${text}}</div>`,
      `<img src={${text}} alt={${text}} /><style>{${text}}</style>`,
    ]
    for (const source of sources) {
      for (const partial of [false, true]) {
        const { page } = readPage(source, { partial })
        if (page === undefined) continue
        read += 1
        const acts = active(page.nodes)
        if (acts.length > 0 || /<script|<iframe/i.test(pageHtml(page.nodes, () => []))) found.push([source, acts])
      }
    }
  }
  expect(found).toEqual([])
  expect(read).toBeGreaterThan(triedVectors.length * 4)
})

test('the page has the shapes of every icon that a model may use', () => {
  expect(Object.keys(icons).toSorted()).toEqual([...iconNames].toSorted())
})
