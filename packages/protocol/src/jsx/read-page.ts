import { iconName, iconNames } from './icon-names.ts'
import { evaluateProgram } from './evaluate.ts'
import { isSafeCss, pageAttributes } from './page-attributes.ts'
import { createCharts } from './page-charts.ts'
import { componentNode } from './page-components.ts'
import { createNotes } from './page-notes.ts'
import { htmlTags, svgTags, wrapperTags } from './page-tags.ts'
import { parseProgram } from './parse-statements.ts'
import { JsxRefused } from './syntax.ts'
import { type Fields, type PageElement, type PageNode, shownText, textOf } from './values.ts'
import type { JsxProblem } from '../ui/read-jsx.ts'

export interface JsxPage {
  nodes: PageNode[]
  /** Every class in it once. */
  classes: string[]
  /** The page's own title: its `title` element, or else its first heading. */
  title?: string | undefined
  /** Id of the outermost element. */
  id?: string | undefined
  /** Omitted parts, for the model that wrote the page. */
  notes: string[]
}

/** Characters of a page, with a hundred for each element. */
const maxSize = 2_000_000

export type ReadPage = { page: JsxPage; problem?: undefined } | { page?: undefined; problem: JsxProblem }

/**
 * Reads a page as models write it: HTML and SVG tags with classes and styles, data and components defined in the source,
 * icons and charts. The result holds only allowed names and plain texts. Nothing of the source is executed by the
 * JavaScript engine. `partial`: the source is still arriving.
 */
export function readPage(source: string, { partial = false } = {}): ReadPage {
  const { note, texts } = createNotes()
  let title: string | undefined
  let size = 0
  try {
    const program = parseProgram(source, { partial })
    const charts = createCharts()
    const nodes = settled(evaluateProgram(program, make), false)
    if (nodes.length === 0 && !partial)
      throw new JsxRefused('The page is empty. Write an element, or a function App that returns one.', 0)
    const classes = classesIn(nodes)
    return { page: { nodes, classes, title: title ?? headingIn(nodes), id: idOf(nodes), notes: texts() } }

    function make(name: string, props: Fields, children: PageNode[], at: number): PageNode[] {
      const tag = tagOf(name)
      if (tag === '' || wrapperTags.has(tag)) return children
      if (tag === 'head')
        return children.filter((child) => typeof child !== 'string' && /^(?:style|title)$/.test(child.tag))
      if (tag === 'style') return styleNode(children)
      if (/^[a-z]/.test(tag)) return tagNode(tag, props, children)
      const isIcon = isFromIcons(name)
      const chart = isIcon ? undefined : charts(tag, props, children)
      if (chart !== undefined) return chart
      const made = isIcon ? undefined : componentNode(tag, props, children, note)
      if (made !== undefined) return made
      return iconNode(tag, props, at)
    }

    function moduleOf(name: string): string | undefined {
      return [...program.imports.values()].find((one) => one.name === name)?.module
    }

    function isFromIcons(name: string): boolean {
      return /lucide/.test(moduleOf(name) ?? '')
    }

    function iconNode(name: string, props: Fields, at: number): PageNode[] {
      const wanted = iconName(name === 'Icon' ? pascal(textOf(props['name'] ?? '')) : name)
      const isKnown = iconNames.has(wanted)
      const module = moduleOf(name)
      if (!isKnown && name !== 'Icon' && (module === undefined || !/lucide|icon/i.test(module))) {
        const from = module === undefined ? '' : ` "${module}" is not available.`
        throw new JsxRefused(
          `There is no component <${name.slice(0, 60)}>.${from} Define it in the source, or use HTML tags.`,
          at,
        )
      }
      if (!isKnown) note('icon', wanted.slice(0, 40))
      const size = textOf(props['size'] ?? 24)
      const { name: _, size: __, color, ...rest } = props
      const stroke = color === undefined ? 'currentColor' : textOf(color)
      return tagNode(
        'svg',
        Object.assign(Object.create(null) as Fields, {
          xmlns: 'http://www.w3.org/2000/svg',
          viewBox: '0 0 24 24',
          width: size,
          height: size,
          fill: 'none',
          stroke,
          strokeWidth: 2,
          strokeLinecap: 'round',
          strokeLinejoin: 'round',
          ...(rest['aria-label'] === undefined && { 'aria-hidden': 'true' }),
          ...rest,
          'data-icon': isKnown ? wanted : 'Circle',
        }),
        [],
      )
    }
  } catch (error) {
    if (!(error instanceof JsxRefused)) throw error
    const before = source.slice(0, error.at)
    const line = before.split('\n').length
    return { problem: { message: error.message, line, column: before.length - before.lastIndexOf('\n') } }
  }

  /** Takes the title out of the page, and what only configured a chart. */
  function settled(nodes: readonly PageNode[], isInSvg: boolean): PageNode[] {
    return nodes.flatMap((node): PageNode[] => {
      // The same nodes can be used many times, so their number is counted here again.
      size += typeof node === 'string' ? node.length : 100
      if (size > maxSize) throw new JsxRefused('The page is too large.', 0)
      if (typeof node === 'string') return [node]
      if (node.tag === 'x-part') return []
      if (node.tag === 'title' && !isInSvg) {
        title ??= shownText(node.children).replaceAll(/\s+/g, ' ').trim() || undefined
        return []
      }
      return [{ ...node, children: settled(node.children, isInSvg || node.tag === 'svg') }]
    })
  }

  function tagNode(tag: string, props: Fields, children: PageNode[]): PageNode[] {
    if (!htmlTags.has(tag) && !svgTags.has(tag)) {
      note('tag', `<${tag.slice(0, 40)}>`)
      return []
    }
    const { 'data-icon': icon, ...others } = props
    const attributes = pageAttributes(tag, Object.assign(Object.create(null) as Fields, others), note)
    if (tag === 'svg' && typeof icon === 'string') attributes['data-icon'] = icon
    if (tag === 'img' && attributes['src'] === undefined) return [placeholder(attributes)]
    if (tag === 'textarea' && typeof attributes['value'] === 'string') {
      const { value, ...rest } = attributes
      return [{ tag, attributes: rest, children: [value as string] }]
    }
    return [{ tag, attributes, children }]
  }

  function styleNode(children: PageNode[]): PageNode[] {
    const css = shownText(children)
    if (css.length > 100_000 || !isSafeCss(css.replaceAll(/\\[\da-f]{1,6}\s?|\\[^\w<]/gi, ''))) {
      note('style', '<style>')
      return []
    }
    return [{ tag: 'style', attributes: {}, children: [css] }]
  }
}

/** `motion.div` and the like are the tag alone. */
function tagOf(name: string): string {
  if (name === 'React.Fragment' || name === 'Fragment') return ''
  const path = name.split('.')
  if (path.length === 1) return name
  return path[0] === 'motion' || path[0] === 'm' ? (path[1] ?? '') : path.join('')
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|[-_ ])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** A gray box in the size of an image that is not loaded. */
function placeholder(attributes: PageElement['attributes']): PageElement {
  const { alt, width, height, style, class: classes, ...rest } = attributes
  const sizes = [
    ...(typeof width === 'string' ? [`width: ${Number.parseFloat(width) || 0}px`] : []),
    ...(typeof height === 'string' ? [`height: ${Number.parseFloat(height) || 0}px`] : []),
  ]
  const { loading: _, decoding: __, ...kept } = rest
  return {
    tag: 'div',
    attributes: {
      ...kept,
      role: 'img',
      'aria-label': typeof alt === 'string' && alt !== '' ? alt : 'image',
      class: `page-image ${typeof classes === 'string' ? classes : ''}`.trim(),
      style: [...sizes, ...(typeof style === 'string' ? [style] : [])].join('; '),
    },
    children: typeof alt === 'string' ? [alt] : [],
  }
}

/** Classes that the page does not style itself. */
function classesIn(nodes: readonly PageNode[]): string[] {
  const found = new Set<string>()
  const walk = (list: readonly PageNode[]): void => {
    for (const node of list) {
      if (typeof node === 'string') continue
      const { class: given } = node.attributes
      if (typeof given === 'string') for (const name of given.split(/\s+/)) if (name !== '') found.add(name)
      walk(node.children)
    }
  }
  walk(nodes)
  const styled = new Set(
    findTags(nodes, /^style$/).flatMap(({ children }) =>
      [...shownText(children).matchAll(/\.([\w-]+)/g)].map(([, name]) => name),
    ),
  )
  return [...found].filter((name) => !styled.has(name))
}

function headingIn(nodes: readonly PageNode[]): string | undefined {
  for (const level of [/^h1$/, /^h2$/, /^h3$/, /^title$/]) {
    const [found, second] = findTags(nodes, level)
    // One of several alike is the title of a part.
    if (second !== undefined && level.source !== '^h1$') continue
    const text = found === undefined ? '' : shownText(found.children).replaceAll(/\s+/g, ' ').trim()
    if (text !== '') return text
  }
  return undefined
}

function findTags(nodes: readonly PageNode[], tag: RegExp): PageElement[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return []
    return tag.test(node.tag) ? [node] : findTags(node.children, tag)
  })
}

function idOf(nodes: readonly PageNode[]): string | undefined {
  const roots = nodes.filter((node) => typeof node !== 'string')
  const id = roots.length === 1 ? roots[0]?.attributes['id'] : undefined
  return typeof id === 'string' ? id : undefined
}
