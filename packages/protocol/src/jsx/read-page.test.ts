import { expect, test } from 'vitest'
import { cpuClock } from '../../testing/test-effort.ts'
import { iconNames } from './icon-names.ts'
import { pageHtml } from './page-html.ts'
import { readPage } from './read-page.ts'

const html = (source: string): string => {
  const { page, problem } = readPage(source)
  if (page === undefined) throw new Error(`${problem.line}:${problem.column} ${problem.message}`)
  return pageHtml(page.nodes, () => [])
}
const problem = (source: string): string => {
  const { problem: found } = readPage(source)
  return found === undefined ? 'none' : `${found.line}:${found.column} ${found.message}`
}

test('values, conditions and lists are computed', () => {
  expect(html('<p>{1 + 2} {"a" + 1} {`x${2 * 3}`} {[1, 2].map((n) => <b key={n}>{n}</b>)} {0 && "no"}</p>')).toBe(
    '<p>3 a1 x6 <b>1</b><b>2</b> 0</p>',
  )
  expect(html('const a = [{ n: 1 }, { n: 2 }];\n<p>{a.filter((x) => x.n > 1).map(({ n }) => n).join()}</p>')).toBe(
    '<p>2</p>',
  )
})

test('styles become text with units, and classes stay as they are', () => {
  expect(html('<i style={{ marginTop: 4, lineHeight: 2, "--x": 1 }} className="a  b" />')).toBe(
    '<i style="margin-top: 4px; line-height: 2; --x: 1" class="a b"></i>',
  )
})

test('the title is the page’s own, the id that of the outermost element', () => {
  const { page } = readPage('<main id="sales"><h2>Small</h2><h1>Sales <b>2025</b></h1></main>')
  expect(page).toMatchObject({ title: 'Sales 2025', id: 'sales' })
  expect(readPage('<div><title>Name</title><h1>Other</h1></div>').page?.title).toBe('Name')
  expect(readPage('<div className="x">words</div>').page?.title).toBeUndefined()
})

test('notes each kind of omission once', () => {
  const { page } = readPage(`<div onClick={() => 1} onclick="x()" foo="1">
    <a href="javascript:alert(1)">a</a><a href=" java&#10;script:x">b</a><img src="https://elsewhere.invalid/x.png" alt="Pic" />
    <p style="background: url(https://elsewhere.invalid)">x</p><p className="bg-[url(//elsewhere.invalid)]">y</p>
    <script>alert(1)</script><iframe src="x" /><object data="x" /></div>`)
  expect(page?.notes.join('\n'))
    .toBe(`Links must start with https://, http://, mailto:, tel: or #. Removed: javascript:alert(1),  java
script:x.
Images from the web are not loaded; a gray box stands for them: https://elsewhere.invalid/x.png. Use inline SVG or data:image/…
Styles that load something or cannot be read were removed: background: url(https://elsewhere.invalid).
Unknown classes were ignored: bg-[url(//elsewhere.invalid)].
Tags that are not allowed were removed: <script>, <iframe>, <object>.
Handlers must be functions, such as onClick={() => …}. Removed: onclick.
Unknown attributes were removed: foo of <div>.`)
  expect(pageHtml(page?.nodes ?? [], () => [])).not.toMatch(/javascript|elsewhere|script|onclick|foo/i)
})

test.each([
  ['<div className="a">\n  <p>{total}</p>\n</div>', '2:7 "total" is not defined. Write the value itself'],
  ['<div className="a"><p>x</div>', '1:24 </div> closes nothing: <p> is open. Write </p> first'],
  ['<div className="a">', '1:1 <div> is never closed. Write </div> where it ends.'],
  ['<div className={x} />', '1:17 "x" is not defined'],
  ['<div className="a', '1:16 The quote after className= is never closed.'],
  ['<div className=a />', '1:16 The value of "className" needs quotes or braces'],
  ['<Chart3D />', '1:1 There is no component <Chart3D>. Define it in the source, or use HTML tags.'],
  ['import { Map } from "leaflet";\n<div><Globe3 /></div>', '2:6 There is no component <Globe3>'],
  ['import { Atlas } from "leaflet";\n<Atlas />', '2:1 There is no component <Atlas>. "leaflet" is not available.'],
  ['<p>{fetch("/x")}</p>', '1:5 "fetch" is not defined'],
  ['<p>{window.location}</p>', '1:5 "window" is not defined'],
  ['async function x() {}\n<p/>', '1:1 "async" is not available in a page. A page has no network.'],
  ['class A {}\n<p/>', '1:1 "class" is not available in a page.'],
  ['<p>{/a+/.test("a")}</p>', '1:5 Regular expressions are not available.'],
  ['<p>{{ a: 1 }}</p>', '1:5 An object cannot be shown. Write one of its fields'],
  ['<p>{() => 1}</p>', '1:5 A function cannot be shown.'],
  ['<p className="x">{[1].constructor("x")}</p>', '"constructor" is not available here'],
  ['<p>{"x".__proto__.y}</p>', 'A field of undefined cannot be read: "y"'],
  ['<p>{(() => 1).call()}</p>', '"call" is not available here'],
  ['<p>{new Function("x")()}</p>', '"new Function" is not available in a page.'],
  ['<p>{this.x}</p>', '"this" is not available in a page.'],
  ['', 'The page is empty.'],
  ['just words', 'The page is empty. Write an element'],
])('%s is refused with its place and what to write instead', (source, expected) => {
  expect(problem(source)).toContain(expected)
})

test.each([
  ['an endless loop', 'function A() { for (let i = 0; i < 1; i += 0) { } return <p /> }'],
  ['endless recursion', 'const f = () => f(); <p>{f()}</p>'],
  ['a component inside itself', 'function A() { return <A /> } export default A'],
  [
    'a text that doubles',
    'function A() { let s = "xxxxxxxxxx"; for (let i = 0; i < 100; i++) { s += s } return <p>{s}</p> }',
  ],
  [
    'elements that double',
    'function A() { let e = <b>x</b>; for (let i = 0; i < 60; i++) { e = <i>{e}{e}</i> } return e }',
  ],
  [
    'lists that double',
    'function A() { let e = [1]; for (let i = 0; i < 60; i++) { e = [e, e] } return <p title={e}>{e}</p> }',
  ],
  [
    'a list in itself',
    'function A() { const e = [1]; e[0] = e; return <p title={e} data-x={JSON.stringify(e)}>{e}</p> }',
  ],
  ['lists of lists', '<p>{Array.from({ length: 10000 }, () => Array(10000).fill("x")).flat(3).join("")}</p>'],
  ['texts that multiply', '<p>{"x".repeat(10000).replaceAll("x", "y".repeat(10000))}</p>'],
  ['deep elements', `${'<div className="a">'.repeat(5000)}x${'</div>'.repeat(5000)}`],
  ['deep brackets', `<p>{${'('.repeat(50_000)}1${')'.repeat(50_000)}}</p>`],
  ['deep lists', `<p>{${'['.repeat(50_000)}${']'.repeat(50_000)}}</p>`],
])('%s ends with an error, soon', (_, source) => {
  const spentMs = cpuClock()
  expect(problem(source)).not.toBe('none')
  expect(spentMs()).toBeLessThan(3000)
})

test('icons are in the set under today’s and earlier names', () => {
  for (const name of ['House', 'Heart', 'Check', 'TrendingUp']) expect(iconNames).toContain(name)
  expect(html('<div className="a"><Home /><LucideHeart /><CheckIcon /></div>').match(/data-icon="\w+"/g)).toEqual([
    'data-icon="House"',
    'data-icon="Heart"',
    'data-icon="Check"',
  ])
})
