import { memo } from 'react'
import type { ReactNode } from 'react'
import type { UiElement, UiNode } from '@troupe/core/protocol'
import { VisibleText } from '../../ui/visible-text.tsx'
import { uiParts } from './parts.tsx'
import './ui-view.css'

/** A page that a model built of our components. Its words are shown as words; nothing else of it reaches the page. */
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

/** Where things stand below each other, words and what is among them are one line. */
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
