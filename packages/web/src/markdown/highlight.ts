import core from 'highlight.js/lib/core'
import type { LanguageFn } from 'highlight.js'

type Loader = () => Promise<{ default: LanguageFn }>

/** Each language loads on first use. */
const loaders: Record<string, Loader> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  clojure: () => import('highlight.js/lib/languages/clojure'),
  cmake: () => import('highlight.js/lib/languages/cmake'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  dart: () => import('highlight.js/lib/languages/dart'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  erlang: () => import('highlight.js/lib/languages/erlang'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  haskell: () => import('highlight.js/lib/languages/haskell'),
  http: () => import('highlight.js/lib/languages/http'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  julia: () => import('highlight.js/lib/languages/julia'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  latex: () => import('highlight.js/lib/languages/latex'),
  less: () => import('highlight.js/lib/languages/less'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  matlab: () => import('highlight.js/lib/languages/matlab'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  nix: () => import('highlight.js/lib/languages/nix'),
  objectivec: () => import('highlight.js/lib/languages/objectivec'),
  ocaml: () => import('highlight.js/lib/languages/ocaml'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  protobuf: () => import('highlight.js/lib/languages/protobuf'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  scss: () => import('highlight.js/lib/languages/scss'),
  shell: () => import('highlight.js/lib/languages/shell'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  vim: () => import('highlight.js/lib/languages/vim'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

const names: Record<string, string> = {
  'c++': 'cpp',
  'c#': 'csharp',
  cc: 'cpp',
  clj: 'clojure',
  console: 'shell',
  cs: 'csharp',
  cxx: 'cpp',
  docker: 'dockerfile',
  ex: 'elixir',
  golang: 'go',
  gql: 'graphql',
  h: 'c',
  hpp: 'cpp',
  hs: 'haskell',
  html: 'xml',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsonl: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  make: 'makefile',
  md: 'markdown',
  mjs: 'javascript',
  ml: 'ocaml',
  objc: 'objectivec',
  patch: 'diff',
  pl: 'perl',
  postgres: 'sql',
  proto: 'protobuf',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  sqlite: 'sql',
  svelte: 'xml',
  svg: 'xml',
  tex: 'latex',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  xhtml: 'xml',
  yml: 'yaml',
  zsh: 'bash',
}

/** The rest of a longer block stays plain, so highlighting never blocks the page. */
const longest = 20_000
/** Takes about a millisecond to highlight. */
const short = 2000

interface Node {
  scope?: string
  children: (Node | string)[]
}

/** Returns the text with token spans. Undefined for an unknown language. Builds DOM nodes, never markup. */
export async function highlight(text: string, language: string): Promise<DocumentFragment | undefined> {
  const name = await loadLanguage(language)
  return name === undefined ? undefined : painted(text, name)
}

/** Like `highlight`, but as lines of spans, for views that draw each line themselves. */
export async function highlightLines(text: string, language: string): Promise<ColoredSpan[][] | undefined> {
  const name = await loadLanguage(language)
  if (name === undefined) return undefined
  const lines: ColoredSpan[][] = [[]]
  addSpans(lines, tokenize(text, name), '')
  return lines
}

export interface ColoredSpan {
  text: string
  /** CSS class. Empty for plain text. */
  look: string
}

/** Loads the language and waits until the page is idle. Undefined if it is unknown. */
async function loadLanguage(language: string): Promise<string | undefined> {
  const name = nameOf(language)
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined
  if (load === undefined) return undefined
  if (core.getLanguage(name) === undefined) core.registerLanguage(name, (await load()).default)
  await idle()
  return name
}

/** Highlights synchronously, for a short text in a loaded language. */
export function highlightNow(text: string, language: string): DocumentFragment | undefined {
  const name = nameOf(language)
  return text.length <= short && core.getLanguage(name) !== undefined ? painted(text, name) : undefined
}

function nameOf(language: string): string {
  const wanted = language.toLowerCase()
  return names[wanted] ?? wanted
}

function painted(text: string, name: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  addNodes(fragment, tokenize(text, name))
  return fragment
}

function tokenize(text: string, name: string): Node['children'] {
  const cut = text.length <= longest ? text.length : text.lastIndexOf('\n', longest) + 1 || longest
  const { _emitter } = core.highlight(text.slice(0, cut), { language: name, ignoreIllegals: true })
  const { children } = (_emitter as unknown as { rootNode: Node }).rootNode
  return cut < text.length ? [...children, text.slice(cut)] : children
}

function addSpans(lines: ColoredSpan[][], children: Node['children'], look: string): void {
  for (const child of children) {
    if (typeof child !== 'string') {
      addSpans(lines, child.children, lookOf(child) ?? look)
      continue
    }
    for (const [index, text] of child.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push({ text, look })
    }
  }
}

function addNodes(parent: Node | ParentNode, children: Node['children']): void {
  const place = parent as ParentNode
  for (const child of children) {
    if (typeof child === 'string') {
      place.append(child)
      continue
    }
    const look = lookOf(child)
    if (look === undefined) {
      addNodes(place, child.children)
      continue
    }
    const span = document.createElement('span')
    span.className = look
    addNodes(span, child.children)
    place.append(span)
  }
}

/** Undefined for an embedded language, of which only the tokens count. */
function lookOf({ scope }: Node): string | undefined {
  const [name] = scope?.split('.') ?? []
  return name === undefined || name.startsWith('language:') ? undefined : `hljs-${name}`
}

function idle(): Promise<void> {
  return new Promise((done) => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(() => done(), { timeout: 1500 })
    else setTimeout(done, 30)
  })
}
