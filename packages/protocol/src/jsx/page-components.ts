import { type Note, pageAttributes } from './page-attributes.ts'
import { type Fields, fields, type PageElement, type PageNode, textOf, type Value } from './values.ts'

/** Components that are one element: `tag` or `tag.class`. They take the attributes of their tag. */
const simple: Record<string, string> = {
  Stack: 'div.page-stack',
  Row: 'div.page-row',
  Divider: 'hr',
  Separator: 'hr',
  Code: 'code',
  Item: 'li',
  Steps: 'ol.page-steps',
  Link: 'a',
  Image: 'img',
  Button: 'button.page-button',
  Input: 'input.page-input',
  TextField: 'input.page-input',
  Textarea: 'textarea.page-input',
  TextArea: 'textarea.page-input',
  Select: 'select.page-input',
  Label: 'label.page-label',
  CardHeader: 'header.page-card-head',
  CardTitle: 'h3.page-card-title',
  CardDescription: 'p.page-soft',
  CardContent: 'div.page-card-body',
  CardFooter: 'footer.page-card-foot',
  AlertTitle: 'strong',
  AlertDescription: 'div',
  Avatar: 'span.page-avatar',
  AvatarFallback: 'span',
  AvatarImage: 'span',
  TableHeader: 'thead',
  TableBody: 'tbody',
  TableFooter: 'tfoot',
  TableRow: 'tr',
  TableHead: 'th',
  TableCell: 'td',
  TableCaption: 'caption',
  Tabs: 'div.page-stack',
  TabsList: 'div.page-row',
  TabsTrigger: 'span.page-badge',
  TabsContent: 'div',
  Accordion: 'div.page-stack',
  AccordionItem: 'details.page-details',
  AccordionTrigger: 'summary',
  AccordionContent: 'div',
  ScrollArea: 'div',
  Form: 'form.page-stack',
}

type Make = (props: Fields, children: PageNode[]) => PageElement

const made: Record<string, Make> = {
  Card: (props, children) =>
    box('section', 'page-card', props, [
      ...(has(props, 'title') || has(props, 'subtitle')
        ? [
            box('header', 'page-card-head', {}, [
              ...said('h3', 'page-card-title', props['title']),
              ...said('p', 'page-soft', props['subtitle']),
            ]),
          ]
        : []),
      ...children,
    ]),
  Section: (props, children) =>
    box('section', 'page-stack', props, [...said('h3', 'page-heading', props['title']), ...children]),
  Grid: (props, children) => {
    const columns = Math.min(12, Math.max(1, Math.round(Number(textOf(props['columns'] ?? props['cols'] ?? 2)) || 2)))
    return {
      ...box('div', 'page-grid', props, children),
      attributes: { class: 'page-grid', style: `--columns: ${columns}` },
    }
  },
  Heading: (props, children) => {
    const level = Math.min(4, Math.max(1, Math.round(Number(textOf(props['level'] ?? 2)) || 2)))
    return box(`h${level}`, 'page-heading', props, children)
  },
  Text: (props, children) =>
    box('p', props['strong'] === undefined ? 'page-text' : 'page-text page-strong', props, children),
  Markdown: (props, children) => box('div', 'page-plain', props, children),
  Badge: (props, children) => box('span', 'page-badge', props, children),
  Callout: (props, children) =>
    box('aside', 'page-callout', props, [...said('strong', '', props['title']), ...children]),
  Alert: (props, children) => box('aside', 'page-callout', props, [...said('strong', '', props['title']), ...children]),
  CodeBlock: (props, children) => box('pre', 'page-code', props, [box('code', '', {}, children)]),
  Quote: (props, children) =>
    box('blockquote', 'page-quote', props, [...children, ...said('footer', 'page-soft', props['source'])]),
  List: (props, children) => box(props['ordered'] === undefined ? 'ul' : 'ol', 'page-list', props, children),
  Step: (props, children) =>
    box(
      'li',
      props['done'] === undefined || props['done'] === false ? 'page-step' : 'page-step page-step-done',
      props,
      [...said('strong', '', props['title']), ...children],
    ),
  Stat: (props, children) =>
    box('div', 'page-stat', props, [
      ...said('div', 'page-soft', props['label'] ?? props['title']),
      ...said('div', 'page-stat-value', props['value']),
      ...said('div', `page-stat-change ${tone(props)}`, props['change']),
      ...children,
    ]),
  Fact: (props, children) =>
    box('div', 'page-fact', props, [...said('div', 'page-soft', props['label']), box('div', '', {}, children)]),
  Progress: (props) => {
    const max = Number(textOf(props['max'] ?? 100)) || 100
    const share = Math.min(100, Math.max(0, (Number(textOf(props['value'] ?? 0)) / max) * 100)) || 0
    const bar: PageElement = {
      tag: 'div',
      attributes: {
        class: 'page-bar',
        role: 'progressbar',
        'aria-valuenow': String(Math.round(share)),
        'aria-label': textOf(props['label'] ?? 'Progress'),
      },
      children: [{ tag: 'div', attributes: { style: `width: ${share.toFixed(1)}%` }, children: [] }],
    }
    return box('div', 'page-progress', props, [...said('span', 'page-soft', props['label']), bar])
  },
  Details: (props, children) =>
    box('details', 'page-details', props, [...said('summary', '', props['summary'] ?? '…'), ...children]),
  Checkbox: (props) => ({
    ...box('input', '', props, []),
    attributes: { type: 'checkbox', ...(props['checked'] ? { checked: true as const } : {}) },
  }),
  Switch: (props) => ({
    ...box('input', '', props, []),
    attributes: { type: 'checkbox', role: 'switch', ...(props['checked'] ? { checked: true as const } : {}) },
  }),
  Table: (props, children) => {
    const columns = Array.isArray(props['columns']) ? props['columns'] : []
    const rows = Array.isArray(props['rows']) ? props['rows'].filter((row): row is Value[] => Array.isArray(row)) : []
    return box('table', 'page-table', props, [
      ...said('caption', '', props['caption']),
      ...(columns.length > 0
        ? [
            box('thead', '', {}, [
              box(
                'tr',
                '',
                {},
                columns.flatMap((name) => said('th', '', name)),
              ),
            ]),
          ]
        : []),
      ...(rows.length > 0
        ? [
            box(
              'tbody',
              '',
              {},
              rows.map((row) =>
                box(
                  'tr',
                  '',
                  {},
                  row.map((cell) => box('td', '', {}, [textOf(cell ?? '')])),
                ),
              ),
            ),
          ]
        : []),
      ...children,
    ])
  },
}

/** Names of their own, which are not attributes of the tag. */
const ownProps = new Set(
  'title subtitle label value change tone gap align columns cols rows caption level strong size source ordered done max summary variant language checked orientation defaultValue'.split(
    ' ',
  ),
)

export const componentNames: readonly string[] = [...Object.keys(simple), ...Object.keys(made)]

/** Nodes of one of our components. Undefined if there is none with this name. */
export function componentNode(name: string, props: Fields, children: PageNode[], note: Note): PageNode[] | undefined {
  const make = Object.hasOwn(made, name) ? made[name] : undefined
  if (make !== undefined) {
    const element = make(props, children)
    const rest = fields(Object.fromEntries(Object.entries(props).filter(([prop]) => !ownProps.has(prop))))
    return [withAttributes(element, pageAttributes(element.tag, rest, note), props)]
  }
  const form = Object.hasOwn(simple, name) ? simple[name] : undefined
  if (form === undefined) return undefined
  const [tag = 'div', base = ''] = form.split('.')
  const given = fields({ ...props })
  for (const prop of ['gap', 'align', 'tone', 'label', 'variant', 'size', 'orientation']) delete given[prop]
  if (['div', 'span', 'details'].includes(tag))
    for (const prop of ['value', 'defaultValue', 'type', 'collapsible']) delete given[prop]
  const element: PageElement = {
    tag,
    attributes: base === '' ? {} : { class: base },
    children: label(name, props, children),
  }
  return [withAttributes(element, pageAttributes(tag, given, note), props)]
}

function label(name: string, props: Fields, children: PageNode[]): PageNode[] {
  return name === 'Button' && children.length === 0 && props['label'] !== undefined
    ? [textOf(props['label'])]
    : children
}

/** Adds the attributes of the source. Classes add up, and looks become classes. */
function withAttributes(element: PageElement, given: PageElement['attributes'], props: Fields): PageElement {
  const looks = ['variant', 'gap', 'align', 'size']
    .filter((prop) => typeof props[prop] === 'string' && /^[a-z-]{1,20}$/.test(props[prop]))
    .map((prop) => `page-${prop}-${textOf(props[prop])}`)
  const names = [
    element.attributes['class'],
    ...(props['tone'] === undefined ? [] : [tone(props)]),
    ...looks,
    given['class'],
  ]
  const classes = names.filter((one) => typeof one === 'string' && one !== '').join(' ')
  const styles = [element.attributes['style'], given['style']].filter((one) => typeof one === 'string').join('; ')
  return {
    ...element,
    attributes: {
      ...element.attributes,
      ...given,
      ...(classes !== '' && { class: classes }),
      ...(styles !== '' && { style: styles }),
    },
  }
}

function box(tag: string, name: string, _props: object, children: PageNode[]): PageElement {
  return { tag, attributes: name === '' ? {} : { class: name }, children }
}

function said(tag: string, name: string, value: Value): PageElement[] {
  return value === undefined || value === null || value === '' ? [] : [box(tag, name, {}, [textOf(value)])]
}

function has(props: Fields, name: string): boolean {
  return props[name] !== undefined
}

function tone(props: Fields): string {
  const given = textOf(props['tone'] ?? 'neutral')
  return /^[a-z]{1,12}$/.test(given) ? `page-tone-${given}` : ''
}
