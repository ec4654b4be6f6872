import { parentPort } from 'node:worker_threads'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import Turndown from 'turndown'
import { stripTags } from './strip-tags.ts'

export interface PageRequest {
  html: string
  url: string
  format: 'markdown' | 'text'
  /** Return only the text, without building a tree. */
  bare?: boolean
  /** Return everything, not only the main content. */
  whole?: boolean
}

export interface Page {
  title: string
  text: string
}

/** Returns the main content of a page, or the whole body if no part stands out. */
function convertPage({ html, url, format, bare, whole: all = false }: PageRequest): Page {
  if (bare === true) return textOnlyPage(html)
  const document = parsePage(html)
  const whole = document.body.textContent.trim().length
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
  const title = collapseWhitespace(document.querySelector('title')?.textContent)
  const article = all ? null : new Readability(document as never, { keepClasses: true }).parse()
  const length = article?.textContent?.trim().length ?? 0
  const isMain = length >= 500 || length > whole / 2
  const main = isMain && article?.content ? parsePage(article.content) : parsePage(html)
  if (!isMain && !all) remove(main, 'nav, footer, aside, form')
  remove(main, 'head, title, script, style, noscript, template, svg, iframe')
  absolutizeLinks(main, base)
  const text = createTurndown(format).turndown(main.body as never)
  return { title: title || collapseWhitespace(article?.title), text: text.replace(/\n{3,}/g, '\n\n').trim() }
}

/** For pages too large or too unusual for a parser. */
function textOnlyPage(html: string): Page {
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html.slice(0, 100_000))?.[1] ?? ''
  return { title: stripTags(title), text: stripTags(html) }
}

/** Declares only the parts in use, because DOM types are not available here. */
interface Element extends TreeNode {
  textContent: string
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  remove(): void
}

interface PageTree {
  body: Element
  querySelector(selector: string): Element | null
  querySelectorAll(selector: string): Iterable<Element>
}

/** Pages may omit html, head and body, but the tree needs all of them. */
function parsePage(html: string): PageTree {
  const bodyAt = html.search(/<body[\s>]/i)
  const unframed = (part: string): string => part.replace(/<!doctype[^>]*>|<\/?(?:html|head)(?:\s[^>]*)?>/gi, '')
  const head = bodyAt === -1 ? '' : unframed(html.slice(0, bodyAt))
  const body = bodyAt === -1 ? `<body>${unframed(html)}</body></html>` : html.slice(bodyAt)
  const page = `<!doctype html><html><head>${head}</head>${body}`
  return (parseHTML(page) as unknown as { document: PageTree }).document
}

function collapseWhitespace(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}

function remove(tree: PageTree, selector: string): void {
  for (const element of tree.querySelectorAll(selector)) element.remove()
}

/** Makes links absolute. Removes script links and inline images. */
function absolutizeLinks(tree: PageTree, base: string): void {
  for (const attribute of ['href', 'src']) {
    for (const element of tree.querySelectorAll(attribute === 'href' ? 'a[href]' : 'img[src]')) {
      const url = URL.parse(element.getAttribute(attribute) ?? '', base)
      if (url !== null && /^(https?|mailto):$/.test(url.protocol)) element.setAttribute(attribute, url.href)
      else element.removeAttribute(attribute)
    }
  }
}

/** Declares only the parts in use, because DOM types are not available here. */
interface TreeNode {
  nodeName: string
  nodeType: number
  parentNode: TreeNode | null
  previousSibling: TreeNode | null
  childNodes: Iterable<TreeNode>
}

/** Converts a tree to Markdown with tables, or to text without links, images and emphasis. */
function createTurndown(format: 'markdown' | 'text'): Turndown {
  const turndown = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
    emDelimiter: '*',
  })
  turndown.addRule('cell', { filter: ['td', 'th'], replacement: (content) => ` ${tableCellText(content)} |` })
  turndown.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => tableRow(content, node as unknown as TreeNode),
  })
  turndown.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` })
  turndown.addRule('table parts', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
  const numbers = new WeakMap<TreeNode, number>()
  turndown.addRule('list item', {
    filter: 'li',
    replacement: (content, node) => listItem(content, node as unknown as TreeNode, numbers),
  })
  if (format === 'markdown') return turndown
  turndown.addRule('plain', { filter: ['a', 'em', 'i', 'strong', 'b', 'code'], replacement: (content) => content })
  turndown.addRule('no images', { filter: 'img', replacement: () => '' })
  turndown.escape = (text) => text
  return turndown
}

function tableCellText(content: string): string {
  return content
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
}

function tableRow(content: string, node: TreeNode): string {
  const cells = Array.from(node.childNodes).filter((child) => /^T[DH]$/.test(child.nodeName)).length
  return `\n|${content}${isFirstRow(node) ? `\n|${' --- |'.repeat(cells)}` : ''}`
}

function isFirstRow(node: TreeNode): boolean {
  if (previousElement(node) !== null) return false
  const part = node.parentNode
  if (part === null || !/^T(BODY|FOOT)$/.test(part.nodeName)) return true
  const before = previousElement(part)
  return before === null || !/^T(HEAD|BODY)$/.test(before.nodeName)
}

/** Uses one space after the marker, where turndown uses three. Items arrive in order, so a counter numbers them. */
function listItem(content: string, { parentNode: list }: TreeNode, numbers: WeakMap<TreeNode, number>): string {
  const number = (list === null ? 0 : (numbers.get(list) ?? 0)) + 1
  if (list !== null) numbers.set(list, number)
  const mark = list?.nodeName === 'OL' ? `${number}. ` : '- '
  const indented = content.trim().replace(/\n(?!\n)/g, `\n${' '.repeat(mark.length)}`)
  return `${mark}${indented}\n`
}

function previousElement(node: TreeNode): TreeNode | null {
  let previous = node.previousSibling
  while (previous !== null && previous.nodeType !== 1) previous = previous.previousSibling
  return previous
}

// Runs in its own thread: a page can occupy a parser for minutes, and the caller must be able to stop it.
parentPort?.on('message', (request: PageRequest) => parentPort?.postMessage(convertPage(request)))
