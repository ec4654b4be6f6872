import type { OutlineNode } from '@troupe/core'
import type { Page } from 'playwright-core'

/** What is used of an element; the types of browsers are not known here. */
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

// These run inside the page: each stands alone and uses nothing from around it.

export function outerHtml(node: unknown, most: number): string {
  return (node as Element).outerHTML.slice(0, most)
}

/** The HTML of an element that is a table, or of the tables in it; those inside another are part of that. */
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

/** What would open a new window opens in this one: before the page's own scripts run, so that none comes before it. */
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
    // Where it names none, the page may name one for all.
    target?.closest?.('a, area, form')?.setAttribute('target', '_self')
    submitter?.setAttribute('formtarget', '_self')
  }
  page.addEventListener('click', retarget, true)
  page.addEventListener('submit', retarget, true)
  page.open = (url) => {
    const to = url === undefined || String(url) === '' ? null : URL.parse(String(url), page.document.baseURI)
    if (to !== null && /^https?:$/.test(to.protocol)) page.location.assign(to.href)
    return null
  }
}

function fieldValues(nodes: unknown[]): string[] {
  return (nodes as Element[]).map(({ value }) => String(value))
}

const maxFrames = 20

/** Outlines show what fields hold; of passwords only that there is one. */
export async function maskPasswords(page: Page, nodes: readonly OutlineNode[]): Promise<OutlineNode[]> {
  const read = page
    .frames()
    .slice(0, maxFrames)
    .map((frame) =>
      frame
        .locator('input[type=password]')
        .evaluateAll(fieldValues)
        // A frame that is gone by then shows nothing either.
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
      ...(text !== undefined && secrets.has(text) && { text: '••••' }),
      ...(children !== undefined && { children: maskNodes(children, secrets) }),
    }
  })
}
