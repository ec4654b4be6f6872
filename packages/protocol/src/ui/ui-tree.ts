/**
 * A page or form that a model built from our components. It holds only names and values, so it cannot execute anything.
 */
export type UiNode = string | UiElement

export interface UiElement {
  type: string
  attributes: Readonly<Record<string, UiValue>>
  children: readonly UiNode[]
}

export type UiValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly (readonly string[])[]
  | readonly { value: string; label: string }[]

/** The JsonRender format: elements by id, one of which is the root. */
export interface UiTree {
  root: string
  elements: Readonly<Record<string, UiTreeElement>>
}

export interface UiTreeElement {
  type: string
  props?: Readonly<Record<string, unknown>> | undefined
  /** Ids of other elements. Anything else is text. */
  children?: readonly string[] | undefined
}

export const uiLimits = { depth: 30, elements: 2000, characters: 200_000 }

/** Converts to nested elements, or returns the problem. `partial`: omits elements that have not arrived yet. */
export function readUiTree(tree: UiTree, { partial = false } = {}): { root: UiElement } | { problem: string } {
  const used = new Set<string>()
  const problems: string[] = []
  const root = element(tree.root, 0)
  if (problems.length > 0) return { problem: problems[0] as string }
  if (root === undefined) return { problem: `The root element "${tree.root.slice(0, 60)}" does not exist.` }
  const lost = Object.keys(tree.elements).find((id) => !used.has(id))
  if (lost !== undefined && !partial)
    return { problem: `The element "${lost.slice(0, 60)}" has no parent. Add it to the children of another element.` }
  return { root }

  function element(id: string, depth: number): UiElement | undefined {
    const given = Object.hasOwn(tree.elements, id) ? tree.elements[id] : undefined
    if (given === undefined) return undefined
    if (used.has(id)) return fail(`The element "${id}" is used twice. Use each element once.`)
    used.add(id)
    if (depth > uiLimits.depth) return fail(`Elements are nested more than ${uiLimits.depth} levels deep.`)
    if (used.size > uiLimits.elements) return fail(`There are more than ${uiLimits.elements} elements.`)
    const component = findComponent(given.type)
    if (component === undefined) return partial ? undefined : fail(unknownComponent(given.type))
    const attributes: Record<string, UiValue> = {}
    for (const [name, value] of Object.entries(given.props ?? {})) {
      if (value === undefined || value === null) continue
      const read = readAttribute(given.type, name, value)
      if (read.problem === undefined) attributes[name] = read.value
      else if (!partial) return fail(`Element "${id}": ${read.problem}`)
    }
    const missing = component.needs?.find((name) => attributes[name] === undefined)
    if (missing !== undefined) return partial ? undefined : fail(`Element "${id}": <${given.type}> needs "${missing}".`)
    const names = given.children ?? []
    if (component.children === 'none' && names.length > 0)
      return fail(`Element "${id}": <${given.type}> cannot have children.`)
    const children = names.flatMap((child): UiNode[] => {
      const inner = element(child, depth + 1)
      if (inner !== undefined) return [inner]
      return Object.hasOwn(tree.elements, child) ? [] : [child]
    })
    return { type: given.type, attributes, children }
  }

  function fail(problem: string): undefined {
    problems.push(problem)
    return undefined
  }
}

export function unknownComponent(type: string): string {
  return `There is no component <${type.slice(0, 60)}>.`
}

export function elementsIn(root: UiElement): UiElement[] {
  return [root, ...root.children.flatMap((child) => (typeof child === 'string' ? [] : elementsIn(child)))]
}

/** Allowed values of an attribute. A list contains the only valid words. */
type AttributeKind =
  | 'text'
  | 'number'
  | 'flag'
  | 'address'
  | 'picture'
  | 'texts'
  | 'rows'
  | 'options'
  | readonly string[]

interface UiComponent {
  attributes: Readonly<Record<string, AttributeKind>>
  /** Default: anything. */
  children?: 'none' | 'text'
  /** Allowed only in forms that wait for an answer. */
  form?: true
  needs?: readonly string[]
}

const tone = ['neutral', 'accent', 'good', 'warning', 'bad'] as const
const gap = ['small', 'medium', 'large'] as const
const plain: UiComponent = { attributes: {} }
// No password field: form values are sent to the model and stored.
const field = { name: 'text', label: 'text', help: 'text', required: 'flag' } as const

/**
 * Components that models may use in pages and forms, with their attributes. Anything unlisted is refused. The page
 * renders each with a component in `web/src/previews/ui/`.
 */
export const uiComponents: Readonly<Record<string, UiComponent>> = {
  Card: { attributes: { title: 'text', subtitle: 'text', tone } },
  Section: { attributes: { title: 'text' } },
  Stack: { attributes: { gap } },
  Row: { attributes: { gap, align: ['start', 'center', 'end', 'between'] } },
  Grid: { attributes: { columns: 'number', gap } },
  Divider: { attributes: {}, children: 'none' },
  Heading: { attributes: { level: 'number' } },
  Text: { attributes: { tone, size: ['small', 'medium', 'large'], strong: 'flag' } },
  Markdown: { attributes: {}, children: 'text' },
  Badge: { attributes: { tone } },
  Callout: { attributes: { title: 'text', tone } },
  Code: { attributes: {}, children: 'text' },
  CodeBlock: { attributes: { language: 'text' }, children: 'text' },
  Quote: { attributes: { source: 'text' } },
  List: { attributes: { ordered: 'flag' } },
  Item: plain,
  Steps: plain,
  Step: { attributes: { title: 'text', done: 'flag' } },
  Link: { attributes: { href: 'address' }, needs: ['href'] },
  Image: { attributes: { src: 'picture', alt: 'text' }, children: 'none', needs: ['src'] },
  Stat: { attributes: { label: 'text', value: 'text', change: 'text', tone }, children: 'none' },
  Fact: { attributes: { label: 'text' } },
  Progress: { attributes: { label: 'text', value: 'number', max: 'number', tone }, children: 'none' },
  Details: { attributes: { summary: 'text', open: 'flag' } },
  Table: { attributes: { caption: 'text', columns: 'texts', rows: 'rows' } },

  Form: { attributes: { title: 'text' }, form: true },
  TextField: {
    attributes: {
      ...field,
      placeholder: 'text',
      type: ['text', 'email', 'url', 'tel', 'number', 'date', 'time'],
      min: 'number',
      max: 'number',
      maxLength: 'number',
    },
    children: 'none',
    form: true,
    needs: ['name', 'label'],
  },
  TextArea: {
    attributes: { ...field, placeholder: 'text', rows: 'number', maxLength: 'number' },
    children: 'none',
    form: true,
    needs: ['name', 'label'],
  },
  Select: {
    attributes: { ...field, options: 'options', multiple: 'flag' },
    children: 'none',
    form: true,
    needs: ['name', 'label', 'options'],
  },
  Radio: {
    attributes: { ...field, options: 'options' },
    children: 'none',
    form: true,
    needs: ['name', 'label', 'options'],
  },
  Checkbox: { attributes: field, children: 'none', form: true, needs: ['name', 'label'] },
  Slider: {
    attributes: { ...field, min: 'number', max: 'number', step: 'number' },
    children: 'none',
    form: true,
    needs: ['name', 'label'],
  },
  Button: {
    attributes: { label: 'text', action: ['submit', 'cancel'], kind: ['plain', 'primary', 'danger'], value: 'text' },
    children: 'none',
    form: true,
    needs: ['label', 'action'],
  },

  // Plain HTML tags as aliases.
  ...Object.fromEntries(
    'p div span h1 h2 h3 h4 strong b em i s u small sub sup mark code pre kbd blockquote ul ol li dl dt dd table caption thead tbody tfoot tr th td'
      .split(' ')
      .map((tag) => [tag, plain]),
  ),
  br: { attributes: {}, children: 'none' },
  hr: { attributes: {}, children: 'none' },
}

export function findComponent(type: string): UiComponent | undefined {
  return Object.hasOwn(uiComponents, type) ? uiComponents[type] : undefined
}

/** Returns the value as the component expects it, or the problem. Converts strings to numbers and booleans. */
export function readAttribute(
  type: string,
  name: string,
  value: unknown,
): { value: UiValue; problem?: undefined } | { problem: string } {
  const attributes = findComponent(type)?.attributes ?? {}
  const kind = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  if (kind === undefined) {
    const names = Object.keys(attributes)
    const known = names.length === 0 ? 'It has none' : `It has ${names.join(', ')}`
    return { problem: `<${type}> has no attribute "${truncate(name)}". ${known}.` }
  }
  const read = readKind(kind, value)
  if (read !== undefined) return { value: read }
  const wanted = typeof kind === 'string' ? expectedValue[kind] : `one of ${kind.map((word) => `"${word}"`).join(', ')}`
  return { problem: `"${name}" of <${type}> must be ${wanted}.` }
}

const expectedValue: Record<Extract<AttributeKind, string>, string> = {
  text: `text of at most 20,000 characters`,
  number: 'a number',
  flag: 'true or false',
  address: 'a URL that starts with https://, http:// or mailto:',
  picture: 'an inline image (data:image/png;base64,…) or a stored one (/ai/blobs/…); external images are not loaded',
  texts: 'a list of strings',
  rows: 'a list of rows, each a list of strings or numbers',
  options: 'a list of strings, or of {value, label}',
}

const maxTextLength = 20_000

function readKind(kind: AttributeKind, value: unknown): UiValue | undefined {
  if (typeof kind !== 'string') return typeof value === 'string' && kind.includes(value) ? value : undefined
  switch (kind) {
    case 'text':
      if (typeof value === 'number') return String(value)
      return isText(value) ? value : undefined
    case 'number': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined
    }
    case 'flag':
      if (typeof value === 'boolean') return value
      return value === 'true' ? true : value === 'false' ? false : undefined
    case 'address':
      return isText(value) && /^(?:https?:\/\/|mailto:)/i.test(value) && URL.canParse(value) ? value : undefined
    case 'picture':
      return typeof value === 'string' && isInlineImage(value) ? value : undefined
    case 'texts':
      return Array.isArray(value) && value.length <= 200 ? mapAll(value, readText) : undefined
    case 'rows':
      if (!Array.isArray(value) || value.length > 5000) return undefined
      return mapAll(value, (row) => (Array.isArray(row) && row.length <= 200 ? mapAll(row, readText) : undefined))
    case 'options':
      return Array.isArray(value) && value.length > 0 && value.length <= 500 ? mapAll(value, readOption) : undefined
  }
}

function isInlineImage(value: string): boolean {
  return (
    /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(value) ||
    /^\/ai\/blobs\/[0-9a-f]{64}$/.test(value)
  )
}

function readText(value: unknown): string | undefined {
  if (value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return isText(value) ? value : undefined
}

function readOption(value: unknown): { value: string; label: string } | undefined {
  if (typeof value === 'object' && value !== null) {
    const { value: own, label } = value as { value?: unknown; label?: unknown }
    const [meant, said] = [readText(own ?? label), readText(label ?? own)]
    return meant === undefined || said === undefined ? undefined : { value: meant, label: said }
  }
  const text = readText(value)
  return text === undefined ? undefined : { value: text, label: text }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxTextLength
}

/** Returns undefined if any value fails. */
function mapAll<Value>(values: readonly unknown[], read: (value: unknown) => Value | undefined): Value[] | undefined {
  const made: Value[] = []
  for (const value of values) {
    const one = read(value)
    if (one === undefined) return undefined
    made.push(one)
  }
  return made
}

function truncate(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
