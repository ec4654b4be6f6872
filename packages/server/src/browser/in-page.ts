import type { OutlineNode } from '@troupe/core'
import type { Page } from 'playwright-core'

/** The parts of an element used here. DOM types are not available. */
interface Element {
  outerHTML: string
  innerText?: string
  href?: string
  value?: string
  parentElement: Element | null
  closest(selector: string): Element | null
  matches(selector: string): boolean
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  querySelectorAll(selector: string): Iterable<Element>
}

// These functions run inside the page, so each is self-contained.

export function outerHtml(node: unknown, most: number): string {
  return (node as Element).outerHTML.slice(0, most)
}

/** Returns the HTML of the element if it is a table, else of its outermost tables. */
export function tablesHtml(node: unknown): string[] {
  const element = node as Element
  if (element.matches('table')) return [element.outerHTML]
  return [...element.querySelectorAll('table')]
    .filter((table) => !table.parentElement?.closest('table'))
    .map((table) => table.outerHTML)
}

export function listLinks(node: unknown, most: number): { text: string; url: string }[] {
  const element = node as Element
  const anchors = [...(element.matches('a[href]') ? [element] : []), ...element.querySelectorAll('a[href]')]
  return anchors.slice(0, most).map((anchor) => ({
    text: (anchor.innerText || anchor.getAttribute('aria-label') || '').replace(/\s+/g, ' ').trim().slice(0, 300),
    url: String(anchor.href).slice(0, 2000),
  }))
}

/** Opens new windows in the current one. Runs before the page's own scripts so they cannot prevent it. */
export function stayInOneWindow(): void {
  interface Page {
    document: { baseURI: string }
    location: { assign(url: string): void }
    open(url?: string | URL): null
    addEventListener(name: string, listen: (event: Event) => void, capture: true): void
  }
  interface Event {
    target: { closest?(selector: string): Element | null } | null
    submitter?: Element | null
  }
  const page = globalThis as unknown as Page
  const retarget = ({ target, submitter }: Event): void => {
    // Set it even if absent, since the page may define a default target.
    target?.closest?.('a, area, form')?.setAttribute('target', '_self')
    submitter?.setAttribute('formtarget', '_self')
  }
  page.addEventListener('click', retarget, true)
  page.addEventListener('submit', retarget, true)
  page.open = (url) => {
    const { baseURI } = page.document
    // Older browsers have no `URL.parse`.
    if (url === undefined || String(url) === '' || !URL.canParse(String(url), baseURI)) return null
    const to = new URL(url, baseURI)
    if (/^https?:$/.test(to.protocol)) page.location.assign(to.href)
    return null
  }
}

function fieldValues(nodes: unknown[]): string[] {
  return (nodes as Element[]).map(({ value }) => String(value))
}

const maxFrames = 20

/** Outlines show field values, so masks those of password fields. */
export async function maskPasswords(page: Page, nodes: readonly OutlineNode[]): Promise<OutlineNode[]> {
  const read = page
    .frames()
    .slice(0, maxFrames)
    .map((frame) =>
      frame
        .locator('input[type=password]')
        .evaluateAll(fieldValues)
        // A frame that is gone shows no values.
        .catch((): string[] => []),
    )
  const secrets = new Set((await Promise.all(read)).flat().filter((value) => value !== ''))
  return secrets.size === 0 ? [...nodes] : maskNodes(nodes, secrets)
}

function maskNodes(nodes: readonly OutlineNode[], secrets: ReadonlySet<string>): OutlineNode[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return secrets.has(node) ? '••••' : node
    const { text, children } = node
    return {
      ...node,
      text: text !== undefined && secrets.has(text) ? '••••' : text,
      children: children && maskNodes(children, secrets),
    }
  })
}
