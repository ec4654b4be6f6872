import { voidTags } from './syntax.ts'
import type { PageElement, PageNode } from './values.ts'

/** Shapes of an icon, as elements inside its SVG. */
export type IconShapes = (name: string) => readonly (readonly [tag: string, attributes: Record<string, string>])[]

/** Writes nodes as HTML. Names were checked when the nodes were made; values and texts are escaped here. */
export function pageHtml(nodes: readonly PageNode[], icons: IconShapes): string {
  return nodes.map((node) => (typeof node === 'string' ? escapeHtml(node) : elementHtml(node, icons))).join('')
}

function elementHtml({ tag, attributes, children }: PageElement, icons: IconShapes): string {
  const written = attributesHtml(attributes)
  if (voidTags.has(tag)) return `<${tag}${written}>`
  const icon = attributes['data-icon']
  if (tag === 'style') return `<style>${children.filter((child) => typeof child === 'string').join('')}</style>`
  const inside =
    tag === 'svg' && typeof icon === 'string'
      ? icons(icon)
          .map(([name, given]) => `<${name}${attributesHtml(given)}></${name}>`)
          .join('')
      : pageHtml(children, icons)
  return `<${tag}${written}>${inside}</${tag}>`
}

function attributesHtml(attributes: Record<string, string | true>): string {
  return Object.entries(attributes)
    .map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`))
    .join('')
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => escapes[char] ?? char)
}
