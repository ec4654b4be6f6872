import type { UiElement, UiNode, UiValue } from '@troupe/protocol'
import { Check, Circle } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { t } from '../texts/t.ts'
import { Group, VisibleText } from '../ui/elements.tsx'
import { CodeBlock, Markdown } from './markdown.tsx'
import { fieldParts, type UiPart } from './ui-fields.tsx'
import './ui-view.css'

/** Plain tags take no attributes, so only the model's text reaches them. */
function tag(Name: 'p' | 'div' | 'span' | 'br' | 'hr' | 'table' | 'code'): UiPart {
  return function Tag({ children }) {
    return Name === 'br' || Name === 'hr' ? <Name /> : <Name>{children}</Name>
  }
}

const tags =
  'p div span h1 h2 h3 h4 strong b em i s u small sub sup mark code pre kbd blockquote ul ol li dl dt dd table caption thead tbody tfoot tr th td br hr'

const uiParts: Readonly<Record<string, UiPart>> = {
  Card: ({ attributes, children }) => (
    <section className={`made-card ${toneOf(attributes)}`}>
      {(attributes['title'] !== undefined || attributes['subtitle'] !== undefined) && (
        <header className="made-card-head">
          {said(attributes['title'], 'made-card-title')}
          {said(attributes['subtitle'], 'made-soft')}
        </header>
      )}
      <div className="made-stack">{children}</div>
    </section>
  ),
  Section: ({ attributes, children }) => (
    <section className="made-section">
      {said(attributes['title'], 'made-section-title')}
      <div className="made-stack">{children}</div>
    </section>
  ),
  Stack: ({ attributes, children }) => <div className={`made-stack ${gapOf(attributes)}`}>{children}</div>,
  Row: ({ attributes, children }) => (
    <div className={`made-row ${gapOf(attributes)} made-align-${textOf(attributes['align'], 'center')}`}>
      {children}
    </div>
  ),
  Grid: ({ attributes, children }) => (
    <div
      className={`made-grid ${gapOf(attributes)}`}
      style={{ '--columns': Math.min(6, Math.max(1, Math.round(numberOf(attributes['columns'], 2)))) } as object}
    >
      {children}
    </div>
  ),
  Divider: () => <hr />,
  Heading: ({ attributes, children }) => {
    const level = Math.min(4, Math.max(1, Math.round(numberOf(attributes['level'], 2))))
    const Name = `h${level + 2}` as 'h3'
    return <Name className={`made-heading made-heading-${level}`}>{children}</Name>
  },
  Text: ({ attributes, children }) => (
    <p
      className={`made-text made-size-${textOf(attributes['size'], 'medium')} ${toneOf(attributes)} ${attributes['strong'] === true ? 'made-strong' : ''}`}
    >
      {children}
    </p>
  ),
  Markdown: ({ text }) => <Markdown text={text} done />,
  Badge: ({ attributes, children }) => <span className={`made-badge ${toneOf(attributes)}`}>{children}</span>,
  Callout: ({ attributes, children }) => (
    <aside className={`made-callout ${toneOf(attributes)}`}>
      {said(attributes['title'], 'made-strong')}
      <div className="made-stack">{children}</div>
    </aside>
  ),
  Code: tag('code'),
  CodeBlock: ({ attributes, text }) => <CodeBlock language={textOf(attributes['language'], '')} text={text} done />,
  Quote: ({ attributes, children }) => (
    <blockquote className="made-quote">
      {children}
      {said(attributes['source'], 'made-soft')}
    </blockquote>
  ),
  List: ({ attributes, children }) => (attributes['ordered'] === true ? <ol>{children}</ol> : <ul>{children}</ul>),
  Item: ({ children }) => <li>{children}</li>,
  Steps: ({ children }) => <ol className="made-steps">{children}</ol>,
  Step: ({ attributes, children }) => (
    <li className={attributes['done'] === true ? 'made-step made-step-done' : 'made-step'}>
      {attributes['done'] === true ? <Check aria-label="✓" /> : <Circle aria-hidden />}
      <div>
        {said(attributes['title'], 'made-strong')}
        {children}
      </div>
    </li>
  ),
  Link: ({ attributes, children }) => (
    <a href={textOf(attributes['href'], '')} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  Image: ({ attributes }) => (
    <img
      className="made-image"
      src={textOf(attributes['src'], '')}
      alt={textOf(attributes['alt'], '')}
      loading="lazy"
    />
  ),
  Stat: ({ attributes }) => (
    <div className="made-stat">
      {said(attributes['label'], 'made-soft')}
      {said(attributes['value'], 'made-stat-value')}
      {said(attributes['change'], `made-stat-change ${toneOf(attributes)}`)}
    </div>
  ),
  Fact: ({ attributes, children }) => (
    <div className="made-fact">
      {said(attributes['label'], 'made-soft')}
      <div>{children}</div>
    </div>
  ),
  Progress: ({ attributes }) => {
    const max = Math.max(Number.MIN_VALUE, numberOf(attributes['max'], 100))
    const value = Math.min(max, Math.max(0, numberOf(attributes['value'], 0)))
    const label = textOf(attributes['label'], '')
    return (
      <label className={`made-progress ${toneOf(attributes)}`}>
        <span className="made-progress-words">
          <VisibleText text={label} />
          <span className="made-soft">{Math.round((value / max) * 100)} %</span>
        </span>
        <progress value={value} max={max} />
      </label>
    )
  },
  Details: ({ attributes, children }) => (
    <details className="made-details" open={attributes['open'] === true}>
      <summary>
        <VisibleText text={textOf(attributes['summary'], '…')} />
      </summary>
      <div className="made-stack">{children}</div>
    </details>
  ),
  Table: ({ attributes, children }) => <Table attributes={attributes}>{children}</Table>,
  ...fieldParts,
  ...Object.fromEntries(tags.split(' ').map((name) => [name, tag(shownAs(name))])),
}

/** Headings in an answer rank below those of the page. */
function shownAs(name: string): 'p' {
  return ({ h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6' }[name] ?? name) as 'p'
}

function Table({ attributes, children }: { attributes: UiElement['attributes']; children: ReactNode }) {
  const columns = (attributes['columns'] ?? []) as readonly string[]
  const rows = (attributes['rows'] ?? []) as readonly (readonly string[])[]
  const caption = attributes['caption']
  return (
    <Group className="made-table" tabIndex={0} label={textOf(caption, t.previews.table)}>
      <table>
        {typeof caption === 'string' && (
          <caption>
            <VisibleText text={caption} />
          </caption>
        )}
        {columns.length > 0 && (
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th key={index} scope="col">
                  <VisibleText text={column} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        {rows.length > 0 && (
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {row.map((cell, index) => (
                  <td key={index}>
                    <VisibleText text={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        )}
        {children}
      </table>
    </Group>
  )
}

function said(value: UiValue | undefined, className: string): ReactNode {
  if (typeof value !== 'string' || value === '') return null
  return (
    <div className={className}>
      <VisibleText text={value} />
    </div>
  )
}

function textOf(value: UiValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function numberOf(value: UiValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

function toneOf({ tone }: UiElement['attributes']): string {
  return `made-tone-${textOf(tone, 'neutral')}`
}

function gapOf({ gap }: UiElement['attributes']): string {
  return `made-gap-${textOf(gap, 'medium')}`
}

/** Renders a page that a model built from our components. Its text is escaped, and nothing else reaches the DOM. */
export const UiView = memo(function UiView({ root }: { root: UiElement }) {
  return <div className="made">{shown(root, 0)}</div>
})

function shown(node: UiNode, key: number): ReactNode {
  if (typeof node === 'string') return <VisibleText key={key} text={node} />
  const Part = Object.hasOwn(uiParts, node.type) ? uiParts[node.type] : undefined
  if (Part === undefined) return null
  return (
    <Part key={key} attributes={node.attributes} text={wordsIn(node)}>
      {node.children.length > 0 ? inside(node) : null}
    </Part>
  )
}

const stacks = new Set(['Card', 'Section', 'Stack', 'Callout', 'Form', 'Details', 'Quote'])
const inline = new Set('strong b em i s u small sub sup mark code kbd span br Code Link Badge'.split(' '))

/** In stacking containers, text and inline elements share one line. */
function inside({ type, children }: UiElement): ReactNode[] {
  if (!stacks.has(type)) return children.map(shown)
  const lines: UiNode[][] = []
  for (const child of children) {
    const last = lines.at(-1)
    if (last !== undefined && isInline(child) && isInline(last[0] as UiNode)) last.push(child)
    else lines.push([child])
  }
  return lines.map((line, index) =>
    line.length === 1 && typeof line[0] !== 'string' ? (
      shown(line[0] as UiNode, index)
    ) : (
      <div key={index}>{line.map(shown)}</div>
    ),
  )
}

function isInline(node: UiNode): boolean {
  return typeof node === 'string' || inline.has(node.type)
}

function wordsIn({ children }: UiElement): string {
  return children.map((child) => (typeof child === 'string' ? child : wordsIn(child))).join('')
}
